"""An environment in the manner of gymnasium, for learning: many cranes at once, each to bring its load to rest at x = 5 m."""

import pathlib

import numpy as np

import dalembert

CRANE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "crane" / "crane.json"
SEEN = ["rail.coordinate", "rail.coordinate_velocity", "pin.coordinate", "pin.coordinate_velocity"]


class Cranes:
    """n cranes; an action is the force of the drive in units of 2 kN, held for 20 ms."""

    def __init__(self, n: int, seconds: float = 20.0) -> None:
        self.batch = dalembert.batch(dalembert.load(CRANE), n, h=2e-3, outputs=SEEN)
        self.seconds = seconds
        self.rng = np.random.default_rng()

    def observe(self) -> np.ndarray:
        return np.stack([self.batch[name] for name in SEEN], axis=1)

    def reset(self, mask=None, seed: int | None = None) -> tuple[np.ndarray, dict]:
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        v = np.zeros_like(self.batch.v)
        v[:, [0, 6]] = self.rng.uniform(-0.5, 0.5, (len(v), 1))  # trolley and load move along the rail
        self.batch.set(drive=0)
        self.batch.reset(mask, v=v)
        return self.observe(), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict]:
        self.batch.set(drive=2000 * np.clip(action, -1, 1))
        self.batch.step(10)
        seen = self.observe()
        reward = -0.02 * ((seen[:, 0] - 5) ** 2 + 10 * seen[:, 2] ** 2 + 0.1 * action**2)
        terminated = ~self.batch.ok | (np.abs(seen[:, 0]) > 20) | (np.abs(seen[:, 2]) > 1)
        truncated = self.batch.t > self.seconds
        return seen, reward, terminated, truncated, {}


env = Cranes(64)
for name, policy in {
    "at random": lambda seen: env.rng.uniform(-1, 1, len(seen)),
    "feedback": lambda seen: (np.array([5, 0, 0, 0]) - seen) @ [707, 1479, 1099, -1934] / 2000,
}.items():
    total, ended = np.zeros(64), np.zeros(64, dtype=int)
    observation, _ = env.reset(seed=1)
    for _ in range(1000):
        observation, reward, terminated, truncated, _ = env.step(policy(observation))
        total += reward
        if (terminated | truncated).any():
            ended += terminated
            observation, _ = env.reset(terminated | truncated)
    print(f"{name}: mean return {total.mean():.1f}, {ended.sum()} episodes ended early, x = {observation[:, 0].mean():.3f} m")
