"""A small network in numpy: one hidden layer, a masked policy and a value. Shared by the learners of this folder."""
import numpy as np


class Net:
    def __init__(self, inputs, hidden, actions, seed=0):
        rng = np.random.default_rng(seed)
        self.w = {
            "in": rng.normal(0, np.sqrt(2 / inputs), (inputs, hidden)).astype(np.float32),
            "in_b": np.zeros(hidden, np.float32),
            "policy": rng.normal(0, 0.01, (hidden, actions)).astype(np.float32),
            "policy_b": np.zeros(actions, np.float32),
            "value": np.zeros((hidden, 1), np.float32),
            "value_b": np.zeros(1, np.float32),
        }
        self.moments = {k: (np.zeros_like(a), np.zeros_like(a)) for k, a in self.w.items()}
        self.steps = 0

    def forward(self, rows, masks):
        """Probabilities of the legal actions and the value of each row; also what `backward` needs."""
        w = self.w
        hidden = np.maximum(rows @ w["in"] + w["in_b"], 0)
        logits = hidden @ w["policy"] + w["policy_b"]
        logits[masks == 0] = -1e9  # a masked action has probability 0 and no gradient
        logits -= logits.max(axis=1, keepdims=True)
        np.exp(logits, out=logits)
        logits /= logits.sum(axis=1, keepdims=True)
        return logits, (hidden @ w["value"] + w["value_b"])[:, 0], hidden

    def backward(self, rows, hidden, to_logits, to_value):
        """Gradients of all weights, from those of the logits (n, actions) and of the value (n,)."""
        to_value = to_value[:, None]
        to_hidden = (to_logits @ self.w["policy"].T + to_value @ self.w["value"].T) * (hidden > 0)
        return {
            "in": rows.T @ to_hidden, "in_b": to_hidden.sum(0),
            "policy": hidden.T @ to_logits, "policy_b": to_logits.sum(0),
            "value": hidden.T @ to_value, "value_b": to_value.sum(0),
        }  # fmt: skip

    def improve(self, gradients, rate):
        """A step of Adam, downhill."""
        self.steps += 1
        scale = rate * np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        size = np.sqrt(sum(float((g * g).sum()) for g in gradients.values()))
        for k, g in gradients.items():
            m, v = self.moments[k]
            g = g * min(1.0, 1.0 / (size + 1e-9))
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            self.w[k] -= scale * m / (np.sqrt(v) + 1e-8)

    def policy(self, rng=None):
        """policy(observation, mask) for agon.program and agon.connect: the likeliest action, or a drawn one."""

        def choose(row, mask):
            chances = self.forward(row[None], mask[None])[0][0]
            return int(chances.argmax() if rng is None else rng.choice(len(chances), p=chances / chances.sum()))

        return choose

    def save(self, path):
        np.savez_compressed(path, **self.w)

    @staticmethod
    def load(path):
        with np.load(path) as file:
            net = Net(*file["in"].shape, file["policy"].shape[1])
            net.w = {k: file[k] for k in file.files}
        return net


def sample(chances, rng):
    """One action a row, by its probability."""
    sums = chances.cumsum(axis=1)
    return np.minimum((sums < rng.random((len(chances), 1)) * sums[:, -1:]).sum(axis=1), chances.shape[1] - 1).astype(np.int32)
