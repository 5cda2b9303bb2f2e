"""Rules with constants on a grid."""
