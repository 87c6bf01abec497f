"""Every expression that has a form of its own."""
from lib import f, g, h


def operators(x, y, z, xs):
    f(x + y * 2 - z / 3 // 4 % 5 ** 6 @ y)
    f(x & y | z ^ 1 << 2 >> 3, ~x, -x, +x, -1, not x)
    f(x < y <= z, x == y, x != y, x is y, x is not None, x in xs, x not in xs)
    f(x and y and z or x)
    f(x if y else z)
    f(xs[0], xs[1:2], xs[:], xs[::2], xs[:, 0], xs[..., None], xs[-1])
    f(*xs, **y, key=z)
    f(1_000, .5, 1., 1e-3, 0x10, "a" 'b"c' "d", b"x", r"\d", True, None, ...)
    f([], [x], (), (x,), (x, y), {}, {x: y, **z}, {x, y}, [*xs, y])
    f(f"{x} and {y!r:>{z}}", f"plain", "%s" % x, "%s %d" % (x, y), "{}".format(z))
    if (n := g(x)) > 1:
        f(n)
    return (yield x)


def comprehensions(xs, ys):
    a = [f(x) for x in xs if x for y in ys]
    b = {x: y for x, y in zip(xs, ys)}
    c = {x for x in xs}
    return sum(x * 2 for x in xs)


def functions(xs):
    twice = lambda x: x * 2
    f(twice, twice(1), lambda *args, key=1, **kw: key, functions, int)
    xs.sort(key=lambda pair: pair[1])
    return (lambda: 3)()


def calls(x, callback, table):
    callback(x)
    table["f"](x)
    g(x)(y=1)
    x.method(1).other
    h.deep.name(x)
    x.a.b.c
    unknown(x)
    print(x, sep="", flush=True)
    return len(x), str(x), list(x), list(), dict(a=x), float("1"), int(table.size)
