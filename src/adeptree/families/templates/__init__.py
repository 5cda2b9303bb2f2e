"""Rule templates, with their constants on a grid."""
