"""What is said of several GPUs and workloads is said once, with the numbers as ranges."""

from dse.answers.once import named, once


def test_texts_that_differ_in_numbers_alone_are_one() -> None:
    told = [
        ("h200 n=64", "The L2 is busy 99% of the time: 8.5 cycles, 1,024 bytes, 1.20x."),
        ("h100", "The DRAM is busy 99% of the time."),
        ("b200", "The L2 is busy 7% of the time: 10.1 cycles, 896 bytes, 1.20x."),
    ]
    assert once(told) == [
        (
            ["h200 n=64", "b200"],
            "The L2 is busy 7% to 99% of the time: 8.5 to 10.1 cycles, 896 to 1,024 bytes, 1.20x.",
        ),
        (["h100"], "The DRAM is busy 99% of the time."),
    ]


def test_values_of_parameters_and_names_are_no_numbers() -> None:
    for first, other in (
        ("vec=4 +1.0%", "vec=2 +1.0%"),
        ("wait for L1", "wait for L2"),
        ("float4", "float2"),
    ):
        assert once([("h200", first), ("b200", other)]) == [(["h200"], first), (["b200"], other)]


def test_every_one_of_several_is_all() -> None:
    assert named(["h200 n=64", "b200 n=64"], 2) == "all"
    assert named(["h200 n=64"], 1) == "h200\u00a0n=64"
