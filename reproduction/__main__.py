"""Entry point of ``python -m reproduction``."""

from reproduction.command import main

if __name__ == "__main__":  # (worker processes import this module under another name)
    main()
