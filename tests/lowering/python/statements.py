"""Every statement that has a form of its own."""
import os

from helpers import build, check, log

LIMIT: int = 3
a = b = build(1)
c, d = 1, 2
c, d = d, c
first, *rest = build(2)
(e, f), g = build(3)
table = {}
table["x"] = build(4)
table["x"] += 1
table["a"]["b"] = build(5)
table[build(6)].append(7)
del table["x"]
del a
a.count = 0
a.count += build(7)
items = []
items += [1, build(8)]
items += build(9)
assert check(a) > 0, "text"
assert a


def early(x):
    global LIMIT
    LIMIT = 4
    if x:
        return
    elif x is None:
        raise ValueError("no x")
    else:
        pass
    for key in x:
        continue
    else:
        log(x)
    while x > 1:
        x -= 1
    else:
        return x, 1
    return (x + 1)


def generate(n):
    for i in range(0, n, 2):
        got = yield i
        print(got, end="")
    yield from build(n)


async def fetch(session):
    async with session.get("url") as reply, open("out") as out:
        async for line in reply:
            out.write(await line)


def guarded():
    try:
        check(1)
    except (ValueError, TypeError) as problem:
        raise RuntimeError from problem
    except KeyError:
        check(2)
    else:
        check(3)
    finally:
        check(4)
    try:
        check(5)
    except* OSError:
        os.remove("x")


def choose(command):
    match command:
        case "go":
            check(1)
        case 1 | 2:
            check(2)
        case Point(x=0, y=y) if y > 0:
            check(y)
        case [first, *others]:
            check(others)
        case os.F_OK:
            check(3)
        case None:
            check(4)
        case name:
            check(name)


if __name__ == "__main__":
    early(1)
