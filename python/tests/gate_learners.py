"""What needs heavy packages: torch shares the arrays, a maskable learner of a known library runs. `tools/gate python`."""

import agon
import agon.gym
import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO

torch.set_num_threads(1)  # small networks: more threads only wait for each other


def test_torch_shares_the_arrays():
    """V43: both ways, without a copy."""
    for dtype in ("float32", "uint8"):
        v = agon.vec("coup", 8, dtype=dtype)
        v.reset(seed=1)
        shared = [torch.from_dlpack(v.observations), torch.from_numpy(v.observations)]
        masks = torch.from_dlpack(v.masks)
        for _ in range(10):
            v.step(v.sample())
            for tensor in shared:
                assert tensor.data_ptr() == v.observations.ctypes.data
                assert (tensor.numpy() == v.observations).all()
            assert (masks.numpy() == v.masks).all()
        actions = torch.multinomial(masks.float(), 1).squeeze(1)
        assert v.step(actions.numpy()) == 0
        mine = torch.zeros(v.observations.shape, dtype=shared[0].dtype)
        v.bind(observations=mine.numpy())
        v.refresh()
        assert (mine == shared[0]).all()


@pytest.mark.parametrize("name", ["Coup", "Tetris"])
def test_maskable_ppo(name):
    """V51: action_masks() as maskable learners call it; 10,000 steps without an illegal action."""

    class Counted(gymnasium.Wrapper):
        illegal = steps = 0

        def step(self, action):
            result = self.env.step(action)
            Counted.illegal += "illegal" in result[4]
            Counted.steps += 1
            return result

        def action_masks(self):
            return self.env.unwrapped.action_masks()

    env = Counted(gymnasium.make(f"agon/{name}-v0"))
    model = MaskablePPO("MlpPolicy", env, n_steps=500, batch_size=250, n_epochs=2, seed=1, device="cpu")
    model.learn(10_000)
    assert Counted.steps >= 10_000 and Counted.illegal == 0
    observation, info = env.reset(seed=1)
    action, _ = model.predict(observation, action_masks=env.action_masks())
    assert info["action_mask"][int(action)] == 1 and np.isfinite(observation).all()
