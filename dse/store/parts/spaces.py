"""Uploaded spaces: the newest version of each name, and earlier ones by digest."""

from datetime import UTC, datetime

from sqlalchemy import delete, select

from dse.store.database.connection import Database
from dse.store.database.retrying import retried
from dse.store.records import SpaceRecord
from dse.store.schema.rows import space_record, space_row
from dse.store.schema.tables import SPACES


class SpaceStore(Database):
    """The part of the store for uploaded spaces."""

    @retried
    def save_space(self, record: SpaceRecord) -> SpaceRecord:
        """Store a space as the newest version of its name; saving an old version makes it the newest again."""
        row = {**space_row(record), "created_at": datetime.now(UTC)}
        new = self._insert(SPACES).values(row)
        newest = {name: new.excluded[name] for name in ("created_at", "owner", "outline")}
        saved = new.on_conflict_do_update(index_elements=["digest"], set_=newest).returning(SPACES)
        with self._writer.begin() as connection:
            return space_record(connection.execute(saved).mappings().one())

    @retried
    def space(self, name: str) -> SpaceRecord | None:
        """The newest space of a name; None if there is none."""
        query = select(SPACES).where(SPACES.c.name == name).order_by(SPACES.c.created_at.desc()).limit(1)
        with self._engine.connect() as connection:
            row = connection.execute(query).mappings().one_or_none()
        return space_record(row) if row else None

    @retried
    def spaces(self) -> list[SpaceRecord]:
        """The newest space of each name, ordered by name."""
        query = select(SPACES).order_by(SPACES.c.name, SPACES.c.created_at)
        with self._engine.connect() as connection:
            newest = {row["name"]: row for row in connection.execute(query).mappings()}
        return [space_record(row) for row in newest.values()]

    @retried
    def delete_space(self, name: str) -> None:
        """Delete all versions of a space; sweeps keep their copy."""
        with self._writer.begin() as connection:
            connection.execute(delete(SPACES).where(SPACES.c.name == name))
