"""sinew: animation in, simulated characters out.

>>> import sinew
>>> character = sinew.Character.load("human")
>>> batch = sinew.Batch(character, worlds=64)
>>> batch.step(20)
>>> batch.positions.shape == (64, character.position_count)
True
"""

from ._sinew import Action, Batch, Character, Error, Event, Joint, Package, Player, Progress
from ._sinew import VERSION as __version__
from .results import Feedback, Front, Jump, Motion, PushLimit, Transfer, feedback, pareto, transfer

__all__ = [
    "Action",
    "Batch",
    "Character",
    "Error",
    "Event",
    "Feedback",
    "Front",
    "Joint",
    "Jump",
    "Motion",
    "Package",
    "Player",
    "Progress",
    "PushLimit",
    "Transfer",
    "__version__",
    "feedback",
    "pareto",
    "transfer",
]
