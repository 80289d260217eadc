"""Experiments: their declared form, where they are found, how they are reproduced, judged and kept as baselines."""
