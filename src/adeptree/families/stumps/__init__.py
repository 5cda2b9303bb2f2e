"""Decision stumps: one named feature against one cut."""
