"""The baselines that askless is compared with."""
