"""How near a judge's answers come to the raters', and how two judges' scores differ."""

from dissensus.comparison.metrics.catalogue import METRICS, Metric, MetricName, metric_of

__all__ = ["METRICS", "Metric", "MetricName", "metric_of"]
