"""A blocklist learnt from complaints: python examples/blocklist.py

Mail comes from an unlimited number of senders, most of them seen once or twice. At most three of them are bad. Every
message is labelled good or bad, wrongly one time in ten. We decide on each message before its label comes, almost as
well as the best blocklist of at most 3 senders would have, found in hindsight; the senders, their number, the number of
messages and the number of wrong labels are unknown.

There are thousands of senders and so billions of blocklists, and each is a path of Algorithm 2. The engine for block
unions (picked by itself) never lists them: it keeps a few numbers for each sender. It prints (in 2 to 8 seconds):

    20000 messages from 8676 senders, 10% of the labels wrong
    our error        10.07%
    best blocklist   10.03%
    regret           8.9 (proven: at most 8.9)
    paths            108,844,730,527
    the list         block in {'casino.example', 'prince.example', 'pills.example'}
"""

from __future__ import annotations

import random

import adeptree as at

MESSAGES, WRONG, SEED = 20_000, 0.1, 0
BAD = ("casino.example", "pills.example", "prince.example")


def mail() -> list[tuple[dict[str, str], int]]:
    """Return messages and their labels: each bad sender has 5 % of the mail, the others come and go."""
    rng = random.Random(SEED)
    stream = []
    for t in range(MESSAGES):
        if rng.random() < 0.05 * len(BAD):
            sender = rng.choice(BAD)
        else:
            sender = f"sender-{int(rng.expovariate(2 / (t + 10)))}.example"
        stream.append(({"sender": sender}, int((sender in BAD) ^ (rng.random() < WRONG))))
    return stream


def main() -> at.Adept:
    learner = at.Adept(at.BlockUnions(3, block="sender"), seed=SEED)
    stream = mail()
    learner.learn_many(*zip(*stream, strict=True))
    print(f"{MESSAGES} messages from {len({x['sender'] for x, _ in stream})} senders, {WRONG:.0%} of the labels wrong")
    print(f"our error        {learner.expected_loss / MESSAGES:.2%}")
    print(f"best blocklist   {learner.best_loss / MESSAGES:.2%}")
    print(f"regret           {learner.regret:.1f} (proven: at most {learner.bound:.1f})")
    print(f"paths            {learner.width:,}")
    print(f"the list         {learner.best_rule()}")
    return learner


if __name__ == "__main__":
    main()
