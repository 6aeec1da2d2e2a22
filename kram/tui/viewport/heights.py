"""Heights of many blocks as a Fenwick tree: position of a block, block at a row, and changes, all in logarithmic time."""

from __future__ import annotations

from collections.abc import Iterable


class Heights:
    """Non-negative heights in rows. Appending and cutting the end is cheap; a change in the middle of the list is not."""

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self.reset(heights)

    def reset(self, heights: Iterable[int]) -> None:
        self._values = list(heights)
        tree = [0, *self._values]
        for index in range(1, len(tree)):
            parent = index + (index & -index)
            if parent < len(tree):
                tree[parent] += tree[index]
        self._tree = tree

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: int) -> int:
        return self._values[index]

    @property
    def total(self) -> int:
        return self.before(len(self._values))

    def before(self, index: int) -> int:
        """Rows above block `index`."""
        total = 0
        tree = self._tree
        while index > 0:
            total += tree[index]
            index &= index - 1
        return total

    def at(self, y: int) -> tuple[int, int]:
        """The block at a row and the row within it; the last block for rows below the end. (0, 0) for an empty list."""
        values, tree = self._values, self._tree
        if not values:
            return 0, 0
        index, rest = 0, max(0, y)
        step = 1 << (len(values).bit_length() - 1)
        while step:
            following = index + step
            if following < len(tree) and tree[following] <= rest:
                index = following
                rest -= tree[following]
            step >>= 1
        if index >= len(values):
            return len(values) - 1, values[-1] + rest
        return index, rest

    def set(self, index: int, height: int) -> int:
        """Changes one height and returns the difference."""
        difference = height - self._values[index]
        if difference:
            self._values[index] = height
            at, tree = index + 1, self._tree
            while at < len(tree):
                tree[at] += difference
                at += at & -at
        return difference

    def splice(self, index: int, removed: int, added: Iterable[int]) -> None:
        """Replaces `removed` heights from `index` on."""
        added = list(added)
        if index + removed == len(self._values) and removed <= 64 and len(added) <= 64:
            del self._values[index:], self._tree[index + 1 :]
            for height in added:
                self._append(height)
        else:
            self.reset([*self._values[:index], *added, *self._values[index + removed :]])

    def _append(self, height: int) -> None:
        at = len(self._values) + 1
        self._values.append(height)
        total, child, stop = height, at - 1, at - (at & -at)
        while child > stop:
            total += self._tree[child]
            child &= child - 1
        self._tree.append(total)
