"""The interfaces between the packages of adeptree."""
