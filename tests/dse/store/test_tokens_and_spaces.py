"""Access tokens and saved spaces."""

from dataclasses import replace

import pytest

from dse.store import SpaceRecord, Store, TokenRefused


def test_a_token_is_found_by_its_digest_also_when_it_is_revoked(store: Store) -> None:
    ann = store.create_token("ann", ["submit", "read"], "1" * 64)
    assert ann.scopes == ("read", "submit")
    store.create_token("bob", ["admin"], "2" * 64)
    assert store.token_by_digest("1" * 64) == ann
    assert store.token_by_digest("3" * 64) is None
    store.revoke_token("ann")
    store.revoke_token("ann")
    revoked = store.token_by_digest("1" * 64)
    assert revoked
    assert revoked.revoked_at
    assert [(token.name, token.revoked_at is None) for token in store.tokens()] == [
        ("ann", False),
        ("bob", True),
    ]
    with pytest.raises(TokenRefused, match="'ann' exists or existed"):
        store.create_token("ann", ["read"], "3" * 64)
    with pytest.raises(TokenRefused, match="read, submit, admin; not root"):
        store.create_token("eve", ["root"], "3" * 64)  # type: ignore[list-item]
    with pytest.raises(TokenRefused, match="no token is named 'eve'"):
        store.revoke_token("eve")


def test_a_name_means_the_newest_space_of_that_name(store: Store) -> None:
    old = store.save_space(SpaceRecord("dot", "kernel: dot", "// old", "kernel.cu", {"a.h": "int a;"}, "ann"))
    new = store.save_space(replace(old, source="// new", owner=None))
    store.save_space(replace(old, name="axpy"))
    assert store.space("dot") == new
    assert store.space(old.digest) is None
    assert store.space("gemm") is None
    assert [(space.name, space.source) for space in store.spaces()] == [("axpy", "// old"), ("dot", "// new")]
    store.save_space(old)
    found = store.space("dot")
    assert found is not None
    assert (found.digest, found.headers) == (old.digest, {"a.h": "int a;"})
