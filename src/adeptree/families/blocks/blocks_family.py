"""The family of unions of at most d blocks: blocklists."""

from adeptree.families.blocks.block_base import DefaultZero
from adeptree.families.blocks.block_columns import block_of_cell
from adeptree.families.blocks.block_engine import BlocksEngine
from adeptree.families.blocks.block_frontier import BlockFrontier
from adeptree.families.blocks.block_unions import BlockUnions
from adeptree.roles.family import Columns, Family, OnColumns

FAMILIES = (
    Family(
        "blocks",
        BlockUnions,
        frontier=BlockFrontier,
        base=DefaultZero,
        engines=(BlocksEngine,),
        columns=Columns(
            block_of_cell,
            preferred=lambda c: c.block if isinstance(c.block, str) else None,
            placeholder=r"^block\b()",
        ),
        on_columns=OnColumns(
            "blocklist",
            lambda names, d: BlockUnions(d),
            {"blocklist(sender, d=3)": "column is one of at most d values"},
            limit="d",
            limits="may be on the list",
        ),
        example="blocks(d=3)",
        small="blocks(d=2)",
        line="x is one of at most d values, e.g. senders on a blocklist",
    ),
)
