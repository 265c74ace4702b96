"""Uploaded profiles of GPUs, by name."""

from dataclasses import asdict
from datetime import UTC, datetime

from sqlalchemy import delete, select
from sqlalchemy.engine import RowMapping

from dse.store.database.connection import Database
from dse.store.database.retrying import retried
from dse.store.records import GpuRecord
from dse.store.schema.tables import GPU_PROFILES


class GpuStore(Database):
    """The part of the store for uploaded profiles of GPUs."""

    @retried
    def save_gpu(self, record: GpuRecord) -> None:
        """Store a profile in place of an older one of that name."""
        row = {**asdict(record), "created_at": datetime.now(UTC)}
        new = self._insert(GPU_PROFILES).values(row)
        saved = new.on_conflict_do_update(
            index_elements=["name"], set_={name: new.excluded[name] for name in row if name != "name"}
        )
        with self._writer.begin() as connection:
            connection.execute(saved)

    @retried
    def gpu(self, name: str) -> GpuRecord | None:
        """The profile of a name; None if there is none."""
        query = select(GPU_PROFILES).where(GPU_PROFILES.c.name == name)
        with self._engine.connect() as connection:
            row = connection.execute(query).mappings().one_or_none()
        return _record(row) if row else None

    @retried
    def gpus(self) -> list[GpuRecord]:
        """The profiles, ordered by name."""
        with self._engine.connect() as connection:
            rows = connection.execute(select(GPU_PROFILES).order_by(GPU_PROFILES.c.name)).mappings()
            return [_record(row) for row in rows]

    @retried
    def delete_gpu(self, name: str) -> None:
        """Delete a profile; sweeps keep its numbers."""
        with self._writer.begin() as connection:
            connection.execute(delete(GPU_PROFILES).where(GPU_PROFILES.c.name == name))


def _record(row: RowMapping) -> GpuRecord:
    return GpuRecord(row["name"], row["yaml"], row["words"], row["owner"])
