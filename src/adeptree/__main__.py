"""``python -m adeptree``: the command line."""

from adeptree.app.cli import main

if __name__ == "__main__":
    main()
