"""Decision stumps: the comparison of one named feature with one cut."""
