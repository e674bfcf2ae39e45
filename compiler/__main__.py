"""`python -m backsweep`, which is the command `backsweep` of the shell."""

from backsweep.inspect.cli.command_line import entry

if __name__ == "__main__":
    entry()
