"""Buckets in order under a balanced tree of sums; unbalanced subtrees are rebuilt.

A bucket has up to 32 slots, which a subclass fills, and one leaf; a full bucket is divided in two. It is stored in a
block of 5 units of 4 slots, and moves to a block of 6, 7 or 8 units when that is full, which saves a third of the
memory on average. The children of a node are adjacent. A subclass defines the sums (``sum_leaf``, ``sum_node``) in
``sums``: from ``base`` on, ``stride`` words per node, the last of which (``splits``) is the first key of its right
child. A round changes one bucket, and the sums on the path from it to the root.

In a large tree a round waits for memory longer than it computes. So the paths to the next points of a batch are read
together, level by level, and kept for their rounds (``set_out``), and their buckets are prefetched. A path that was
read stays valid until a subtree is rebuilt: dividing a bucket only makes it longer.
"""

from __future__ import annotations

from array import array

from adeptree.core import cython_shim as cython

if cython.compiled:
    from cython.cimports.adeptree._compiled.arrays_kernel import prefetch
else:
    from adeptree.core.arrays_kernel import longer
    from adeptree.roles.round_kernel import RoundKernel
    from adeptree.theory.ledger_kernel import Ledger

BUCKET = cython.declare(cython.Py_ssize_t, 32)  # slots per bucket
UNIT = cython.declare(cython.Py_ssize_t, 4)  # slots per unit; buckets are numbered by their first unit
LEAST = cython.declare(cython.Py_ssize_t, 5)  # units of a block
LARGE = cython.declare(cython.Py_ssize_t, 1024)  # least number of buckets for which prefetching pays off
AHEAD = cython.declare(cython.Py_ssize_t, 32)  # number of points whose paths are read together
EARLY = cython.declare(cython.Py_ssize_t, 6)  # number of rounds by which a bucket is prefetched
DEEPEST = cython.declare(cython.Py_ssize_t, 128)


class OrderedTree(RoundKernel):
    """Trees in one arena; the current one has the root ``root``. A subclass defines the fields of slots and nodes.

    A subclass sets ``sums``, ``base`` and ``stride`` before ``__init__``, and the bucket of the first root after it.
    """

    def __init__(self) -> None:
        RoundKernel.__init__(self, Ledger(), 0)
        self.depth = self.bucket = self.at = self.root = 0
        self.smallest = LEAST  # units of the smallest block
        self.way = array("i", bytes(4 * DEEPEST))
        self.keys = self.points = array("q")
        self.coming, self.ways = array("q", bytes(8 * AHEAD)), array("i", bytes(4 * AHEAD * DEEPEST))
        self.first_way = self.ways_known = self.last_level = 0  # which paths of the next points are valid
        self.counts = self.size = self.child = array("i")
        self.order = self.leaves = self.pairs = self.firsts = array("i")
        self.spare = array("i", [-1] * 9)  # free blocks by size in units: heads of linked lists in ``counts``
        self.room = self.node_room = self.units = 0
        self.nodes = self.cells = 1
        self.make_room(16, 4)

    # --- Methods of a subclass --------------------------------------------------------------------

    def sum_leaf(self, v: cython.Py_ssize_t) -> cython.void:
        """Compute the sums of a leaf from its bucket."""

    def sum_node(self, v: cython.Py_ssize_t) -> cython.void:
        """Compute the sums of a node from its children."""

    def copy_slots(self, new: cython.Py_ssize_t, old: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.void:
        """Copy slots; source and target may overlap."""

    def warm_bucket(self, bucket: cython.Py_ssize_t) -> cython.void:
        """Prefetch a bucket."""

    def make_room(self, room: cython.Py_ssize_t, nodes: cython.Py_ssize_t) -> cython.int:
        """Allocate room for this many units and nodes. If that fails, nothing changes."""
        buckets: cython.Py_ssize_t = nodes // 2 + 1
        self.counts, self.size = longer(self.counts, room), longer(self.size, nodes)
        self.sums = longer(self.sums, self.base + nodes * self.stride)
        # The fields of two siblings that a descent reads are adjacent.
        self.splits = memoryview(self.sums).cast("B").cast("q")[self.base + self.stride - 1 :: self.stride]
        self.child = longer(self.child, nodes)
        self.order, self.firsts = longer(self.order, nodes), longer(self.firsts, nodes)
        self.leaves, self.pairs = longer(self.leaves, buckets), longer(self.pairs, buckets)
        self.room, self.node_room = room, nodes
        return 0

    def reserve(self) -> cython.int:
        """Allocate room for one more point, which may divide a full bucket."""
        if self.units + 2 * LEAST > self.room:
            self.make_room(self.room + (self.room >> 3) + 32, self.node_room)
        if self.nodes + 2 > self.node_room:
            self.make_room(self.room, self.node_room + (self.node_room >> 3) + 16)
        return 0

    def block(self, units: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return a free block."""
        u: cython.Py_ssize_t = self.spare[units]
        if u >= 0:
            self.spare[units] = self.counts[u]
        else:
            u = self.units
            self.units += units
        return u

    def release(self, u: cython.Py_ssize_t, units: cython.Py_ssize_t) -> cython.void:
        """Release a block."""
        self.counts[u], self.spare[units] = self.spare[units], u

    def widen(self) -> cython.void:
        """Make room for one more slot in the bucket of x, if its block is full."""
        old: cython.Py_ssize_t = self.bucket
        count: cython.Py_ssize_t = self.counts[old]
        if count >= self.smallest * UNIT and count % UNIT == 0:
            self.bucket = self.block(count // UNIT + 1)
            self.copy_slots(self.bucket * UNIT, old * UNIT, count)
            self.counts[self.bucket], self.child[self.way[self.depth]] = count, -1 - self.bucket
            self.release(old, count // UNIT)
            self.at += (self.bucket - old) * UNIT

    # --- Coming points -----------------------------------------------------------------------------

    def warm(self, first: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Prefetch memory for the next points of the batch."""
        i: cython.Py_ssize_t
        for i in range(stop - first):
            self.coming[i] = self.points[first + i]
        self.warm_ways(stop - first)

    def warm_ways(self, count: cython.Py_ssize_t) -> cython.void:
        """Read the paths of the next ``coming`` points level by level, so that their memory reads overlap."""
        d: cython.Py_ssize_t = 0
        going: cython.bint = self.size[self.root] >= LARGE
        self.first_way, self.ways_known = 0, count if going else 0
        for i in range(count):
            self.ways[i] = self.root
        while going:
            going = False
            for i in range(count):
                v = self.ways[d + i]
                child = self.child[v]
                going |= child >= 0
                self.ways[d + AHEAD + i] = child + (self.coming[i] >= self.splits[v]) if child >= 0 else v
                pair = self.base + (child if child >= 0 else v) * self.stride
                prefetch(cython.address(self.sums[pair]))
                prefetch(cython.address(self.sums[pair + 2 * self.stride - 1]))
            d += AHEAD
        self.last_level = d
        if d > 0:
            for i in range(min(count, EARLY)):
                self.warm_bucket(-1 - self.child[self.ways[d + i]])

    def set_out(self, x: cython.longlong) -> cython.Py_ssize_t:
        """Start the path to x from the prefetched one and return its depth; it ends at a bucket divided since."""
        i: cython.Py_ssize_t = self.first_way
        d: cython.Py_ssize_t = 0
        self.way[0] = self.root
        while i < self.ways_known and self.coming[i] != x:
            i += 1
        if i < self.ways_known:
            self.first_way = i + 1
            if i + EARLY < self.ways_known:  # spread over rounds, so that memory reads overlap with computation
                d = self.child[self.ways[self.last_level + i + EARLY]]
                if d < 0:
                    self.warm_bucket(-1 - d)
                d = 0
            while self.ways[i + AHEAD] != self.way[d]:
                i += AHEAD
                d += 1
                self.way[d] = self.ways[i]
        return d

    # --- The tree ----------------------------------------------------------------------------------

    def climb(self) -> cython.void:
        """Update the sums from the bucket of x to the root; divide a full bucket."""
        leaf: cython.Py_ssize_t = self.way[self.depth]
        full: cython.bint = self.counts[self.bucket] == BUCKET
        if full:
            for d in range(self.depth + 1):
                self.size[self.way[d]] += 1
            self.halve(leaf)
        else:
            self.sum_leaf(leaf)
        self.sum_way(self.depth)
        if full:
            self.balance()

    def sum_way(self, depth: cython.Py_ssize_t) -> cython.void:
        """Update the sums of the nodes on the path, from this depth up to the root."""
        d: cython.Py_ssize_t = depth - 1
        while d >= 0:
            self.sum_node(self.way[d])
            d -= 1

    def halve(self, v: cython.Py_ssize_t) -> cython.void:
        """Replace a leaf with a full bucket by a node with two leaves."""
        old: cython.Py_ssize_t = self.bucket
        low: cython.Py_ssize_t = self.block(max(self.smallest, BUCKET // 2 // UNIT))
        high: cython.Py_ssize_t = self.block(max(self.smallest, BUCKET // 2 // UNIT))
        a: cython.Py_ssize_t = self.nodes
        self.copy_slots(low * UNIT, old * UNIT, BUCKET // 2)
        self.copy_slots(high * UNIT, old * UNIT + BUCKET // 2, BUCKET // 2)
        self.counts[low] = self.counts[high] = BUCKET // 2
        self.release(old, BUCKET // UNIT)
        self.child[v], self.child[a], self.child[a + 1] = a, -1 - low, -1 - high
        self.size[a] = self.size[a + 1] = 1
        self.splits[v] = self.keys[high * UNIT]
        self.nodes += 2
        self.sum_leaf(a)
        self.sum_leaf(a + 1)
        self.sum_node(v)

    def balance(self) -> cython.void:
        """Rebuild the highest unbalanced subtree on the path, in place of rotations."""
        for d in range(self.depth + 1):
            v = self.way[d]
            if self.size[v] >= 8:
                larger = max(self.size[self.child[v]], self.size[self.child[v] + 1])
                if 10 * larger > 7 * self.size[v]:
                    self.regrow(v)
                    self.sum_way(d)
                    return

    def list_nodes(self, root: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """List the nodes of a subtree in ``order`` (preorder, left before right); return their number."""
        found: cython.Py_ssize_t = 0
        waiting: cython.Py_ssize_t = 1
        self.firsts[0] = root
        while waiting:
            waiting -= 1
            v = self.firsts[waiting]
            self.order[found] = v
            found += 1
            if self.child[v] >= 0:
                self.firsts[waiting], self.firsts[waiting + 1] = self.child[v] + 1, self.child[v]
                waiting += 2
        return found

    def regrow(self, root: cython.Py_ssize_t) -> cython.void:
        """Rebuild a subtree in balanced shape, reusing its nodes and buckets."""
        self.ways_known = 0
        found: cython.Py_ssize_t = self.list_nodes(root)
        leaves = pairs = 0
        for i in range(found):
            v = self.order[i]
            if self.child[v] < 0:
                self.leaves[leaves] = self.child[v]
                leaves += 1
            else:
                self.pairs[pairs] = self.child[v]
                pairs += 1
        # From the root down, level by level; ``firsts`` holds the leftmost leaf below a node.
        self.order[0], self.firsts[0] = root, 0
        pairs = 0
        for i in range(found):
            v = self.order[i]
            if self.size[v] == 1:
                self.child[v] = self.leaves[self.firsts[i]]
                continue
            a, half = self.pairs[pairs], self.size[v] // 2
            self.child[v] = a
            self.size[a], self.size[a + 1] = half, self.size[v] - half
            self.order[2 * pairs + 1], self.order[2 * pairs + 2] = a, a + 1
            self.firsts[2 * pairs + 1], self.firsts[2 * pairs + 2] = self.firsts[i], self.firsts[i] + half
            self.splits[v] = self.keys[(-1 - self.leaves[self.firsts[i] + half]) * UNIT]
            pairs += 1
        self.sum_all(found)

    def sum_all(self, found: cython.Py_ssize_t) -> cython.void:
        """Update the sums of the nodes in ``order``, in reverse, so that children come first."""
        i: cython.Py_ssize_t = found - 1
        while i >= 0:
            if self.child[self.order[i]] < 0:
                self.sum_leaf(self.order[i])
            else:
                self.sum_node(self.order[i])
            i -= 1
