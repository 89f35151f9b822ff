"""Whether saved decisions are what their schema says: generated, do not edit.

``python -m thunkvm.profile.schemas`` writes this file, by fastjsonschema.
"""
# ruff: noqa
# fmt: off
# mypy: ignore-errors

from decimal import Decimal
import re
from thunkvm.profile.reading import SchemaError


REGEX_PATTERNS = {
    'text without halves of surrogate pairs_re_pattern': re.compile('[^\\ud800-\\udfff]*\\Z'),
    "a file's name without NUL and such halves_re_pattern": re.compile('[^\\x00\\ud800-\\udfff]*\\Z')
}

NoneType = type(None)

def validate(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise SchemaError("" + (name_prefix or "data") + " must be object", value=data, rule='type')
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data__missing_keys = set(['conditions', 'calls', 'first']) - data.keys()
        if data__missing_keys:
            raise SchemaError("" + (name_prefix or "data") + " must contain " + (str(sorted(data__missing_keys)) + " properties"), value=data, rule='required')
        data_keys = set(data.keys())
        if "conditions" in data_keys:
            data_keys.remove("conditions")
            data__conditions = data["conditions"]
            if not isinstance(data__conditions, (list, tuple)):
                raise SchemaError("" + (name_prefix or "data") + ".conditions must be array", value=data__conditions, rule='type')
            data__conditions_is_list = isinstance(data__conditions, (list, tuple))
            if data__conditions_is_list:
                data__conditions_len = len(data__conditions)
                for data__conditions_x, data__conditions_item in enumerate(data__conditions):
                    validate___definitions_decided(data__conditions_item, custom_formats, (name_prefix or "data") + ".conditions[{data__conditions_x}]".format(**locals()))
        if "calls" in data_keys:
            data_keys.remove("calls")
            data__calls = data["calls"]
            if not isinstance(data__calls, (list, tuple)):
                raise SchemaError("" + (name_prefix or "data") + ".calls must be array", value=data__calls, rule='type')
            data__calls_is_list = isinstance(data__calls, (list, tuple))
            if data__calls_is_list:
                data__calls_len = len(data__calls)
                for data__calls_x, data__calls_item in enumerate(data__calls):
                    if not isinstance(data__calls_item, (list, tuple)):
                        raise SchemaError("" + (name_prefix or "data") + ".calls[{data__calls_x}]".format(**locals()) + " must be array", value=data__calls_item, rule='type')
                    data__calls_item_is_list = isinstance(data__calls_item, (list, tuple))
                    if data__calls_item_is_list:
                        data__calls_item_len = len(data__calls_item)
                        for data__calls_item_x, data__calls_item_item in enumerate(data__calls_item):
                            if not isinstance(data__calls_item_item, (list, tuple)):
                                raise SchemaError("" + (name_prefix or "data") + ".calls[{data__calls_x}][{data__calls_item_x}]".format(**locals()) + " must be array", value=data__calls_item_item, rule='type')
                            data__calls_item_item_is_list = isinstance(data__calls_item_item, (list, tuple))
                            if data__calls_item_item_is_list:
                                data__calls_item_item_len = len(data__calls_item_item)
                                if data__calls_item_item_len < 2:
                                    raise SchemaError("" + (name_prefix or "data") + ".calls[{data__calls_x}][{data__calls_item_x}]".format(**locals()) + " must contain at least 2 items", value=data__calls_item_item, rule='minItems')
                                if data__calls_item_item_len > 2:
                                    raise SchemaError("" + (name_prefix or "data") + ".calls[{data__calls_x}][{data__calls_item_x}]".format(**locals()) + " must contain less than or equal to 2 items", value=data__calls_item_item, rule='maxItems')
                                for data__calls_item_item_x, data__calls_item_item_item in enumerate(data__calls_item_item):
                                    if not isinstance(data__calls_item_item_item, (int)) and not (isinstance(data__calls_item_item_item, float) and data__calls_item_item_item.is_integer()) or isinstance(data__calls_item_item_item, bool):
                                        raise SchemaError("" + (name_prefix or "data") + ".calls[{data__calls_x}][{data__calls_item_x}][{data__calls_item_item_x}]".format(**locals()) + " must be integer", value=data__calls_item_item_item, rule='type')
                                    if isinstance(data__calls_item_item_item, (int, float, Decimal)) and not isinstance(data__calls_item_item_item, bool):
                                        if data__calls_item_item_item < 0:
                                            raise SchemaError("" + (name_prefix or "data") + ".calls[{data__calls_x}][{data__calls_item_x}][{data__calls_item_item_x}]".format(**locals()) + " must be bigger than or equal to 0", value=data__calls_item_item_item, rule='minimum')
                                        if data__calls_item_item_item > 4611686018427387904:
                                            raise SchemaError("" + (name_prefix or "data") + ".calls[{data__calls_x}][{data__calls_item_x}][{data__calls_item_item_x}]".format(**locals()) + " must be smaller than or equal to 4611686018427387904", value=data__calls_item_item_item, rule='maximum')
        if "first" in data_keys:
            data_keys.remove("first")
            data__first = data["first"]
            if not isinstance(data__first, (int)) and not (isinstance(data__first, float) and data__first.is_integer()) or isinstance(data__first, bool):
                raise SchemaError("" + (name_prefix or "data") + ".first must be integer", value=data__first, rule='type')
            if isinstance(data__first, (int, float, Decimal)) and not isinstance(data__first, bool):
                if data__first < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".first must be bigger than or equal to 0", value=data__first, rule='minimum')
                if data__first > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".first must be smaller than or equal to 4611686018427387904", value=data__first, rule='maximum')
        if "in_loops" in data_keys:
            data_keys.remove("in_loops")
            data__inloops = data["in_loops"]
            if not isinstance(data__inloops, (list, tuple)):
                raise SchemaError("" + (name_prefix or "data") + ".in_loops must be array", value=data__inloops, rule='type')
            data__inloops_is_list = isinstance(data__inloops, (list, tuple))
            if data__inloops_is_list:
                data__inloops_len = len(data__inloops)
                for data__inloops_x, data__inloops_item in enumerate(data__inloops):
                    if not isinstance(data__inloops_item, (list, tuple)):
                        raise SchemaError("" + (name_prefix or "data") + ".in_loops[{data__inloops_x}]".format(**locals()) + " must be array", value=data__inloops_item, rule='type')
                    data__inloops_item_is_list = isinstance(data__inloops_item, (list, tuple))
                    if data__inloops_item_is_list:
                        data__inloops_item_len = len(data__inloops_item)
                        for data__inloops_item_x, data__inloops_item_item in enumerate(data__inloops_item):
                            validate___definitions_turns(data__inloops_item_item, custom_formats, (name_prefix or "data") + ".in_loops[{data__inloops_x}][{data__inloops_item_x}]".format(**locals()))
        if data_keys:
            raise SchemaError("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", value=data, rule='additionalProperties')
    return data

def validate___definitions_turns(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise SchemaError("" + (name_prefix or "data") + " must be object", value=data, rule='type')
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data__missing_keys = set(['condition', 'runs']) - data.keys()
        if data__missing_keys:
            raise SchemaError("" + (name_prefix or "data") + " must contain " + (str(sorted(data__missing_keys)) + " properties"), value=data, rule='required')
        data_keys = set(data.keys())
        if "condition" in data_keys:
            data_keys.remove("condition")
            data__condition = data["condition"]
            if not isinstance(data__condition, (int)) and not (isinstance(data__condition, float) and data__condition.is_integer()) or isinstance(data__condition, bool):
                raise SchemaError("" + (name_prefix or "data") + ".condition must be integer", value=data__condition, rule='type')
            if isinstance(data__condition, (int, float, Decimal)) and not isinstance(data__condition, bool):
                if data__condition < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".condition must be bigger than or equal to 0", value=data__condition, rule='minimum')
                if data__condition > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".condition must be smaller than or equal to 4611686018427387904", value=data__condition, rule='maximum')
        if "runs" in data_keys:
            data_keys.remove("runs")
            data__runs = data["runs"]
            if not isinstance(data__runs, (list, tuple)):
                raise SchemaError("" + (name_prefix or "data") + ".runs must be array", value=data__runs, rule='type')
            data__runs_is_list = isinstance(data__runs, (list, tuple))
            if data__runs_is_list:
                data__runs_len = len(data__runs)
                for data__runs_x, data__runs_item in enumerate(data__runs):
                    if not isinstance(data__runs_item, (list, tuple)):
                        raise SchemaError("" + (name_prefix or "data") + ".runs[{data__runs_x}]".format(**locals()) + " must be array", value=data__runs_item, rule='type')
                    data__runs_item_is_list = isinstance(data__runs_item, (list, tuple))
                    if data__runs_item_is_list:
                        data__runs_item_len = len(data__runs_item)
                        if data__runs_item_len < 2:
                            raise SchemaError("" + (name_prefix or "data") + ".runs[{data__runs_x}]".format(**locals()) + " must contain at least 2 items", value=data__runs_item, rule='minItems')
                        if data__runs_item_len > 2:
                            raise SchemaError("" + (name_prefix or "data") + ".runs[{data__runs_x}]".format(**locals()) + " must contain less than or equal to 2 items", value=data__runs_item, rule='maxItems')
                        for data__runs_item_x, data__runs_item_item in enumerate(data__runs_item):
                            if not isinstance(data__runs_item_item, (int)) and not (isinstance(data__runs_item_item, float) and data__runs_item_item.is_integer()) or isinstance(data__runs_item_item, bool):
                                raise SchemaError("" + (name_prefix or "data") + ".runs[{data__runs_x}][{data__runs_item_x}]".format(**locals()) + " must be integer", value=data__runs_item_item, rule='type')
                            if isinstance(data__runs_item_item, (int, float, Decimal)) and not isinstance(data__runs_item_item, bool):
                                if data__runs_item_item < 0:
                                    raise SchemaError("" + (name_prefix or "data") + ".runs[{data__runs_x}][{data__runs_item_x}]".format(**locals()) + " must be bigger than or equal to 0", value=data__runs_item_item, rule='minimum')
                                if data__runs_item_item > 4611686018427387904:
                                    raise SchemaError("" + (name_prefix or "data") + ".runs[{data__runs_x}][{data__runs_item_x}]".format(**locals()) + " must be smaller than or equal to 4611686018427387904", value=data__runs_item_item, rule='maximum')
        if data_keys:
            raise SchemaError("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", value=data, rule='additionalProperties')
    return data

def validate___definitions_decided(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise SchemaError("" + (name_prefix or "data") + " must be object", value=data, rule='type')
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data__missing_keys = set(['node', 'text', 'file', 'line', 'arms']) - data.keys()
        if data__missing_keys:
            raise SchemaError("" + (name_prefix or "data") + " must contain " + (str(sorted(data__missing_keys)) + " properties"), value=data, rule='required')
        data_keys = set(data.keys())
        if "node" in data_keys:
            data_keys.remove("node")
            data__node = data["node"]
            if not isinstance(data__node, (str)):
                raise SchemaError("" + (name_prefix or "data") + ".node must be string", value=data__node, rule='type')
            if isinstance(data__node, str):
                if not REGEX_PATTERNS["text without halves of surrogate pairs_re_pattern"].match(data__node):
                    raise SchemaError("" + (name_prefix or "data") + ".node must be text without halves of surrogate pairs", value=data__node, rule='format')
        if "text" in data_keys:
            data_keys.remove("text")
            data__text = data["text"]
            if not isinstance(data__text, (str)):
                raise SchemaError("" + (name_prefix or "data") + ".text must be string", value=data__text, rule='type')
            if isinstance(data__text, str):
                if not REGEX_PATTERNS["text without halves of surrogate pairs_re_pattern"].match(data__text):
                    raise SchemaError("" + (name_prefix or "data") + ".text must be text without halves of surrogate pairs", value=data__text, rule='format')
        if "file" in data_keys:
            data_keys.remove("file")
            data__file = data["file"]
            if not isinstance(data__file, (str)):
                raise SchemaError("" + (name_prefix or "data") + ".file must be string", value=data__file, rule='type')
            if isinstance(data__file, str):
                if not REGEX_PATTERNS["a file's name without NUL and such halves_re_pattern"].match(data__file):
                    raise SchemaError("" + (name_prefix or "data") + ".file must be a file's name without NUL and such halves", value=data__file, rule='format')
        if "line" in data_keys:
            data_keys.remove("line")
            data__line = data["line"]
            if not isinstance(data__line, (int)) and not (isinstance(data__line, float) and data__line.is_integer()) or isinstance(data__line, bool):
                raise SchemaError("" + (name_prefix or "data") + ".line must be integer", value=data__line, rule='type')
            if isinstance(data__line, (int, float, Decimal)) and not isinstance(data__line, bool):
                if data__line < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".line must be bigger than or equal to 0", value=data__line, rule='minimum')
                if data__line > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".line must be smaller than or equal to 4611686018427387904", value=data__line, rule='maximum')
        if "arms" in data_keys:
            data_keys.remove("arms")
            data__arms = data["arms"]
            if not isinstance(data__arms, (list, tuple)):
                raise SchemaError("" + (name_prefix or "data") + ".arms must be array", value=data__arms, rule='type')
            data__arms_is_list = isinstance(data__arms, (list, tuple))
            if data__arms_is_list:
                data__arms_len = len(data__arms)
                for data__arms_x, data__arms_item in enumerate(data__arms):
                    if not isinstance(data__arms_item, (str)):
                        raise SchemaError("" + (name_prefix or "data") + ".arms[{data__arms_x}]".format(**locals()) + " must be string", value=data__arms_item, rule='type')
                    if isinstance(data__arms_item, str):
                        if not REGEX_PATTERNS["text without halves of surrogate pairs_re_pattern"].match(data__arms_item):
                            raise SchemaError("" + (name_prefix or "data") + ".arms[{data__arms_x}]".format(**locals()) + " must be text without halves of surrogate pairs", value=data__arms_item, rule='format')
        if "position" in data_keys:
            data_keys.remove("position")
            data__position = data["position"]
            if not isinstance(data__position, (int)) and not (isinstance(data__position, float) and data__position.is_integer()) or isinstance(data__position, bool):
                raise SchemaError("" + (name_prefix or "data") + ".position must be integer", value=data__position, rule='type')
            if isinstance(data__position, (int, float, Decimal)) and not isinstance(data__position, bool):
                if data__position < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".position must be bigger than or equal to 0", value=data__position, rule='minimum')
                if data__position > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".position must be smaller than or equal to 4611686018427387904", value=data__position, rule='maximum')
        if data_keys:
            raise SchemaError("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", value=data, rule='additionalProperties')
    return data
