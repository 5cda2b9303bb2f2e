"""A mixture whose parts come with the names that rows have: features that nobody announced."""

from __future__ import annotations

from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import log

    from adeptree.core.arrays_kernel import longer
    from adeptree.roles.round_kernel import RoundKernel
    from adeptree.structures.line_tree_kernel import is_plain
    from adeptree.structures.mixture_kernel import MixtureKernel


class OpenMixtureKernel(MixtureKernel):
    """A mixture whose parts come with the names that rows have; a name that is absent from a row is 0 there.

    The first part stands for all names still to come, which were 0 in every row. The i-th that is met has the share
    1/(i (i + 1)) of the prior, and what is left, 1/(count + 1), is that of the first part: no mass is made or lost.
    ``make`` makes a part, which takes numbers; ``log_mass`` is ln of the factor that makes its mass 1. A look at names
    that are new (``strangers``) has parts for them, which only a round keeps.
    """

    def __init__(self, make: Any, log_mass: float, word_of: Any) -> None:
        self.make, self.log_mass, self.word_of = make, log_mass, word_of
        MixtureKernel.__init__(self, [make()], [""], [None], [log_mass], word_of)
        self.places, self.rows = {"": 0}, []
        self.strangers, self.values, self.newcomers = [], [], []
        self.made_at = -1  # the round after which newcomers were made
        self.lost0 = self.lost1 = 0.0  # what "always 0" and "always 1" have lost: so has every rule of the first part

    def place(self, x: object) -> cython.bint:
        """Put x in place, if it is a dict of names and plain finite numbers."""
        i: cython.Py_ssize_t
        row: dict
        strangers: list = []
        if type(x) is not dict:
            return False
        row = x
        for name, value in row.items():
            if type(name) is not str or not name or not is_plain(value):
                return False
            if value != 0 and name not in self.places:
                strangers.append(name)
        strangers.sort()  # so that the order in which a row lists its names changes nothing
        if self.made_at != self.stamp:
            self.newcomers, self.made_at = [], self.stamp
        while len(self.newcomers) < len(strangers):
            self.newcomers.append(self.newcomer())
        for i in range(len(self.parts)):
            if not cython.cast(RoundKernel, self.parts[i]).place(row.get(self.names[i], 0.0)):
                return False
        values: list = [row[name] for name in strangers]
        if strangers != self.strangers or values != self.values:
            self.strangers, self.values = strangers, values
            self.seen = self.known = False
        self.arrive()
        return True

    def newcomer(self) -> Any:
        """Return a part that has had 0 in all rows until now."""
        part: RoundKernel = self.make()
        fresh: cython.longlong = part.count()
        part.set_rate(self.eta)
        if cython.cast(RoundKernel, self.parts[0]).count() > fresh:  # (0 has come)
            part.learn(0.0, 1, self.lost0)
            part.learn(0.0, 0, self.lost1)
        return part

    def give(self, rows: Any) -> None:
        """Take the rows of a batch."""
        self.rows = rows

    def place_at(self, i: cython.Py_ssize_t) -> cython.void:
        """Put the i-th row of the batch in place."""
        self.place(self.rows[i])

    def warm(self, first: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Do nothing: rows are read one by one."""

    def admit(self, names: Any) -> None:
        """Let the parts made for these names be parts of the mixture."""
        i: cython.Py_ssize_t
        for i in range(len(names)):
            self.parts.append(self.newcomers[i])
            self.readers.append(None)
        self.names.extend(names)
        self.share_out()

    def dismiss(self, count: cython.Py_ssize_t) -> cython.void:
        """Let the last parts be none of the mixture."""
        del self.parts[len(self.parts) - count :]
        del self.readers[len(self.readers) - count :]
        del self.names[len(self.names) - count :]
        self.share_out()

    def share_out(self) -> None:
        """Set the shares of all parts, and the words of their names."""
        i: cython.Py_ssize_t
        count: cython.Py_ssize_t = len(self.parts)
        if count > len(self.weight):
            self.weight, self.words = longer(self.weight, 2 * count), longer(self.words, 2 * count)
            self.log_share = longer(self.log_share, 2 * count)
        self.log_share[0] = self.log_mass - log(count)
        for i in range(len(self.places), count):
            self.log_share[i] = self.log_mass - log(i * (i + 1.0))
            self.words[i] = self.word_of(self.names[i])

    def look(self) -> cython.void:
        """Divide the weight, also that of the names that are new."""
        if not self.strangers:
            MixtureKernel.look(self)
            return
        self.meet_values()
        self.admit(self.strangers)
        MixtureKernel.look(self)
        self.dismiss(len(self.strangers))

    def ask(self) -> cython.void:
        """Count what is asked, also of the names that are new: as in a round, which has their parts."""
        i: cython.Py_ssize_t
        MixtureKernel.ask(self)
        for i in range(len(self.strangers)):
            self.asked += 2 * cython.cast(RoundKernel, self.newcomers[i]).count()

    def meet_values(self) -> None:
        """Put the values of the names that are new in place."""
        i: cython.Py_ssize_t
        for i in range(len(self.strangers)):
            cython.cast(RoundKernel, self.newcomers[i]).place(self.values[i])

    def log_ratio(self) -> cython.double:
        """Return the log-odds of 1 at the row just looked at."""
        found: cython.double
        if not self.strangers:
            return MixtureKernel.log_ratio(self)
        self.admit(self.strangers)
        found = MixtureKernel.log_ratio(self)
        self.dismiss(len(self.strangers))
        return found

    def reserve(self) -> cython.int:
        """Make room for one more round; names that are new keep their parts."""
        if self.strangers:
            self.meet_values()
            self.meet(self.strangers)
        return MixtureKernel.reserve(self)

    def meet(self, names: Any) -> None:
        """Keep the parts of names that are new, those of the row in place or of a file."""
        while len(self.newcomers) < len(names):
            self.newcomers.append(self.newcomer())
        self.admit(names)
        for name in names:
            self.places[name] = len(self.places)
        self.strangers, self.values, self.newcomers = [], [], []

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Let the row in, and charge the rules that are wrong there."""
        if label:
            self.lost0 += cost
        else:
            self.lost1 += cost
        MixtureKernel.take(self, label, cost)

    def rebuild(self) -> cython.void:
        """Let all parts have the rate; those of names that are new are made again."""
        self.strangers, self.values, self.newcomers = [], [], []
        MixtureKernel.rebuild(self)
