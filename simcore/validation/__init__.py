"""Compare predictions with measurements: read files of several tools, predict, score, plot, report."""

from simcore.validation.measurement import MeasuredFile, Measurement, MeasurementError, Recipe, Variants
from simcore.validation.pairing import load_variants, pair
from simcore.validation.picture import check_picture, draw
from simcore.validation.prediction import Prediction, Refusal, predict, predict_all
from simcore.validation.reading import profile_of, read_measurements
from simcore.validation.report import report_name, update_report
from simcore.validation.scores import Score, order, rank_correlation, regret, score_families, summarise
from simcore.validation.selection import Selection, read_split

__all__ = [
    "MeasuredFile",
    "Measurement",
    "MeasurementError",
    "Prediction",
    "Recipe",
    "Refusal",
    "Score",
    "Selection",
    "Variants",
    "check_picture",
    "draw",
    "load_variants",
    "order",
    "pair",
    "predict",
    "predict_all",
    "profile_of",
    "rank_correlation",
    "read_measurements",
    "read_split",
    "regret",
    "report_name",
    "score_families",
    "summarise",
    "update_report",
]
