"""All that decides the future of a policy with epochs, as bytes."""

import numpy as np

BLOCK = ("held", "kept", "added", "need", "ended", "warm", "tested", "undecided", "test", "passed")
BLOCK += ("squares", "logs", "pace")
ARM = ("n", "squares", "support", "size", "share", "radius", "dropped_at", "evidence")
MODEL = ("columns", "root", "weights", "estimate")
ARM += ("active", "active_size", "width", "noise", "ridge", "misfit", "freedom", "renewed")


def everything(policy, arms=None):
    """All that decides the arms' future, as bytes; of the first so many, or of all."""
    count = len(policy._model.arms.n) if arms is None else arms
    return [part for k in range(count) for part in arm_state(policy, k)]


def arm_state(policy, k):
    """All that decides an arm's future, as bytes: its models, its block, its tests."""
    model, (contexts, rewards) = policy._model, policy._model.rows_of(k)
    state, epochs = model.arms, model.epochs
    size = int(state.size[k])
    parts = [contexts, rewards, np.tril(epochs.gram[k, :size, :size]), epochs.moment[k, :size]]
    parts += [getattr(epochs, name)[k] for name in BLOCK]
    return [np.ascontiguousarray(part).tobytes() for part in parts] + arm_models(policy, k)


def arm_models(policy, k):
    """What an arm's decisions and intervals are made of, as bytes."""
    state, epochs = policy._model.arms, policy._model.epochs
    size, active = int(state.size[k]), int(state.active_size[k])
    parts = [getattr(state, name)[k] for name in ARM]
    parts += [np.tril(state.gram[k, :size, :size]), state.moment[k, :size]]
    models = (
        (size, *(getattr(state, name) for name in MODEL)),
        (size, state.columns, epochs.model_root, epochs.model_weights, epochs.model_estimate),
        (active, *(getattr(state, f"active_{name}") for name in MODEL)),
    )
    for width, columns, root, *others in models:
        parts.append(np.tril(root[k, :width, :width]))
        parts += [part[k, :width] for part in (columns, *others)]
    return [np.ascontiguousarray(part).tobytes() for part in parts]
