"""Rules of arms evaluated by Python's own parser and a short list of what a rule may hold."""

import ast
import operator

from askless.survey import Choice, Multi, Scale, Survey, YesNo

SIGNS = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda one, many: one in many,
    ast.NotIn: lambda one, many: one not in many,
}
WORDS = {"yes": True, "true": True, "no": False, "false": False}

SURVEY = Survey(
    [
        Scale("age", low=18, high=90),
        Scale("trust", low=1, high=7, may_skip=True),
        Choice("region", ["north", "south", "far east"], may_skip=True),
        YesNo("donor", may_skip=True),
        Multi("media", ["web", "tv"], may_skip=True),
    ]
)
# Answers at, between and beside all numbers that the rules of these tests name.
ANSWERS = {
    "age": [18, 25, 30, 40, 64, 65, 66, 80, 90],
    "trust": [1, 2, 3, 4, 5, 6, 7, None],
    "region": ["north", "south", "far east", None],
    "donor": [False, True, None],
    "media": [[], ["web"], ["tv"], ["web", "tv"], None],
}


def holds(rule, answers):
    """Whether a rule holds; whatever is compared with a skip does not."""
    return _truth(ast.parse(rule.replace(" has ", " >> "), mode="eval").body, answers)


def _truth(node, answers):
    if isinstance(node, ast.BoolOp):
        every = all if isinstance(node.op, ast.And) else any
        return every([_truth(part, answers) for part in node.values])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not _truth(node.operand, answers)
    if isinstance(node, ast.BinOp):
        assert isinstance(node.op, ast.RShift)
        return answers[node.left.id] is not None and _value(node.right, {}) in answers["media"]
    if isinstance(node, ast.Name):
        return answers[node.id] is True
    assert isinstance(node, ast.Compare), ast.dump(node)
    sides = [_value(side, answers) for side in (node.left, *node.comparators)]
    pairs = zip(node.ops, sides, sides[1:], strict=False)
    return None not in sides and all(SIGNS[type(op)](one, other) for op, one, other in pairs)


def _value(node, answers):
    if isinstance(node, ast.List):
        return [_value(part, answers) for part in node.elts]
    if isinstance(node, ast.Name):
        return answers[node.id] if node.id in answers else WORDS.get(node.id, node.id)
    assert isinstance(node, ast.Constant), ast.dump(node)
    return node.value
