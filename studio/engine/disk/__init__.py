"""Writing of project files: batches, single changes, locks and obstacle checks.

Changes come in as changes; the leaf maps requests to them.
"""

from typing import TYPE_CHECKING

from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.engine.disk.batch import (
        Aborted,
        Batch,
        NotPutBack,
        NotRemoved,
        SafePoint,
        in_order,
        place_one,
    )
    from studio.engine.disk.disk_change import (
        ContentReader,
        DiskChange,
        DiskState,
        TargetChanged,
        changes_kind,
        disk_state_of,
        holds,
        image_at,
        image_of,
        is_same,
        is_unfit_for_temporaries,
        link_image,
        nearest_above,
        temporary_path,
    )
    from studio.engine.disk.folders import allowed_bits, inherited_bit
    from studio.engine.disk.foreign_locks import LeasePatience, wait_until_free
    from studio.engine.disk.obstacles import Obstacle, Obstacles, check_handles, free_space
    from studio.program.locks import writer_lock

__all__ = [
    "Aborted",
    "Batch",
    "ContentReader",
    "DiskChange",
    "DiskState",
    "LeasePatience",
    "NotPutBack",
    "NotRemoved",
    "Obstacle",
    "Obstacles",
    "SafePoint",
    "TargetChanged",
    "allowed_bits",
    "changes_kind",
    "check_handles",
    "disk_state_of",
    "free_space",
    "holds",
    "image_at",
    "image_of",
    "in_order",
    "inherited_bit",
    "is_same",
    "is_unfit_for_temporaries",
    "link_image",
    "nearest_above",
    "place_one",
    "temporary_path",
    "wait_until_free",
    "writer_lock",
]

__getattr__ = late_names(
    __name__,
    {
        "studio.engine.disk.batch": "Aborted Batch NotPutBack NotRemoved SafePoint in_order place_one",
        "studio.engine.disk.disk_change": (
            "ContentReader DiskChange DiskState TargetChanged changes_kind disk_state_of holds "
            "image_at image_of is_same is_unfit_for_temporaries link_image nearest_above "
            "temporary_path"
        ),
        "studio.engine.disk.folders": "allowed_bits inherited_bit",
        "studio.engine.disk.foreign_locks": "LeasePatience wait_until_free",
        "studio.engine.disk.obstacles": "Obstacle Obstacles check_handles free_space",
        "studio.program.locks": "writer_lock",
    },
)
