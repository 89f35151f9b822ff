"""Whether saved profiles are what their schema says: generated, do not edit.

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
        data__missing_keys = set([]) - data.keys()
        if data__missing_keys:
            raise SchemaError("" + (name_prefix or "data") + " must contain " + (str(sorted(data__missing_keys)) + " properties"), value=data, rule='required')
        data_keys = set(data.keys())
        if "functions" in data_keys:
            data_keys.remove("functions")
            data__functions = data["functions"]
            if not isinstance(data__functions, (list, tuple)):
                raise SchemaError("" + (name_prefix or "data") + ".functions must be array", value=data__functions, rule='type')
            data__functions_is_list = isinstance(data__functions, (list, tuple))
            if data__functions_is_list:
                data__functions_len = len(data__functions)
                for data__functions_x, data__functions_item in enumerate(data__functions):
                    validate___definitions_functionrecord(data__functions_item, custom_formats, (name_prefix or "data") + ".functions[{data__functions_x}]".format(**locals()))
        if "kind" in data_keys:
            data_keys.remove("kind")
            data__kind = data["kind"]
            if not (isinstance(data__kind, str) and data__kind == 'count' or isinstance(data__kind, str) and data__kind == 'time' or isinstance(data__kind, str) and data__kind == 'trace' or isinstance(data__kind, str) and data__kind == 'memory'):
                raise SchemaError("" + (name_prefix or "data") + ".kind must be one of ['count', 'time', 'trace', 'memory']", value=data__kind, rule='enum')
        if "clock_cost" in data_keys:
            data_keys.remove("clock_cost")
            data__clockcost = data["clock_cost"]
            if not isinstance(data__clockcost, (int, float, Decimal)) or isinstance(data__clockcost, bool):
                raise SchemaError("" + (name_prefix or "data") + ".clock_cost must be number", value=data__clockcost, rule='type')
            if isinstance(data__clockcost, (int, float, Decimal)) and not isinstance(data__clockcost, bool):
                if data__clockcost < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".clock_cost must be bigger than or equal to -1e+30", value=data__clockcost, rule='minimum')
                if data__clockcost > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".clock_cost must be smaller than or equal to 1e+30", value=data__clockcost, rule='maximum')
        if data_keys:
            raise SchemaError("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", value=data, rule='additionalProperties')
    return data

def validate___definitions_functionrecord(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise SchemaError("" + (name_prefix or "data") + " must be object", value=data, rule='type')
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data__missing_keys = set(['name']) - data.keys()
        if data__missing_keys:
            raise SchemaError("" + (name_prefix or "data") + " must contain " + (str(sorted(data__missing_keys)) + " properties"), value=data, rule='required')
        data_keys = set(data.keys())
        if "name" in data_keys:
            data_keys.remove("name")
            data__name = data["name"]
            if not isinstance(data__name, (str)):
                raise SchemaError("" + (name_prefix or "data") + ".name must be string", value=data__name, rule='type')
            if isinstance(data__name, str):
                if not REGEX_PATTERNS["text without halves of surrogate pairs_re_pattern"].match(data__name):
                    raise SchemaError("" + (name_prefix or "data") + ".name must be text without halves of surrogate pairs", value=data__name, rule='format')
        if "mode" in data_keys:
            data_keys.remove("mode")
            data__mode = data["mode"]
            if not isinstance(data__mode, (str)):
                raise SchemaError("" + (name_prefix or "data") + ".mode must be string", value=data__mode, rule='type')
            if isinstance(data__mode, str):
                if not REGEX_PATTERNS["text without halves of surrogate pairs_re_pattern"].match(data__mode):
                    raise SchemaError("" + (name_prefix or "data") + ".mode must be text without halves of surrogate pairs", value=data__mode, rule='format')
        if "n_calls" in data_keys:
            data_keys.remove("n_calls")
            data__ncalls = data["n_calls"]
            if not isinstance(data__ncalls, (int)) and not (isinstance(data__ncalls, float) and data__ncalls.is_integer()) or isinstance(data__ncalls, bool):
                raise SchemaError("" + (name_prefix or "data") + ".n_calls must be integer", value=data__ncalls, rule='type')
            if isinstance(data__ncalls, (int, float, Decimal)) and not isinstance(data__ncalls, bool):
                if data__ncalls < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".n_calls must be bigger than or equal to 0", value=data__ncalls, rule='minimum')
                if data__ncalls > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".n_calls must be smaller than or equal to 4611686018427387904", value=data__ncalls, rule='maximum')
        if "nodes" in data_keys:
            data_keys.remove("nodes")
            data__nodes = data["nodes"]
            if not isinstance(data__nodes, (list, tuple)):
                raise SchemaError("" + (name_prefix or "data") + ".nodes must be array", value=data__nodes, rule='type')
            data__nodes_is_list = isinstance(data__nodes, (list, tuple))
            if data__nodes_is_list:
                data__nodes_len = len(data__nodes)
                for data__nodes_x, data__nodes_item in enumerate(data__nodes):
                    validate___definitions_noderow(data__nodes_item, custom_formats, (name_prefix or "data") + ".nodes[{data__nodes_x}]".format(**locals()))
        if "conditions" in data_keys:
            data_keys.remove("conditions")
            data__conditions = data["conditions"]
            if not isinstance(data__conditions, (list, tuple)):
                raise SchemaError("" + (name_prefix or "data") + ".conditions must be array", value=data__conditions, rule='type')
            data__conditions_is_list = isinstance(data__conditions, (list, tuple))
            if data__conditions_is_list:
                data__conditions_len = len(data__conditions)
                for data__conditions_x, data__conditions_item in enumerate(data__conditions):
                    validate___definitions_conditionrow(data__conditions_item, custom_formats, (name_prefix or "data") + ".conditions[{data__conditions_x}]".format(**locals()))
        if "regions" in data_keys:
            data_keys.remove("regions")
            data__regions = data["regions"]
            if not isinstance(data__regions, (list, tuple)):
                raise SchemaError("" + (name_prefix or "data") + ".regions must be array", value=data__regions, rule='type')
            data__regions_is_list = isinstance(data__regions, (list, tuple))
            if data__regions_is_list:
                data__regions_len = len(data__regions)
                for data__regions_x, data__regions_item in enumerate(data__regions):
                    validate___definitions_regionrow(data__regions_item, custom_formats, (name_prefix or "data") + ".regions[{data__regions_x}]".format(**locals()))
        if "loops" in data_keys:
            data_keys.remove("loops")
            data__loops = data["loops"]
            if not isinstance(data__loops, (list, tuple)):
                raise SchemaError("" + (name_prefix or "data") + ".loops must be array", value=data__loops, rule='type')
            data__loops_is_list = isinstance(data__loops, (list, tuple))
            if data__loops_is_list:
                data__loops_len = len(data__loops)
                for data__loops_x, data__loops_item in enumerate(data__loops):
                    validate___definitions_looprow(data__loops_item, custom_formats, (name_prefix or "data") + ".loops[{data__loops_x}]".format(**locals()))
        if "groups" in data_keys:
            data_keys.remove("groups")
            data__groups = data["groups"]
            if not isinstance(data__groups, (list, tuple)):
                raise SchemaError("" + (name_prefix or "data") + ".groups must be array", value=data__groups, rule='type')
            data__groups_is_list = isinstance(data__groups, (list, tuple))
            if data__groups_is_list:
                data__groups_len = len(data__groups)
                for data__groups_x, data__groups_item in enumerate(data__groups):
                    validate___definitions_grouprow(data__groups_item, custom_formats, (name_prefix or "data") + ".groups[{data__groups_x}]".format(**locals()))
        if "calls" in data_keys:
            data_keys.remove("calls")
            data__calls = data["calls"]
            if not isinstance(data__calls, (list, tuple)):
                raise SchemaError("" + (name_prefix or "data") + ".calls must be array", value=data__calls, rule='type')
            data__calls_is_list = isinstance(data__calls, (list, tuple))
            if data__calls_is_list:
                data__calls_len = len(data__calls)
                for data__calls_x, data__calls_item in enumerate(data__calls):
                    validate___definitions_callrow(data__calls_item, custom_formats, (name_prefix or "data") + ".calls[{data__calls_x}]".format(**locals()))
        if "overheads" in data_keys:
            data_keys.remove("overheads")
            data__overheads = data["overheads"]
            validate___definitions_overheads(data__overheads, custom_formats, (name_prefix or "data") + ".overheads")
        if "events" in data_keys:
            data_keys.remove("events")
            data__events = data["events"]
            if not isinstance(data__events, (list, tuple)):
                raise SchemaError("" + (name_prefix or "data") + ".events must be array", value=data__events, rule='type')
            data__events_is_list = isinstance(data__events, (list, tuple))
            if data__events_is_list:
                data__events_len = len(data__events)
                for data__events_x, data__events_item in enumerate(data__events):
                    validate___definitions_event(data__events_item, custom_formats, (name_prefix or "data") + ".events[{data__events_x}]".format(**locals()))
        if "dropped_events" in data_keys:
            data_keys.remove("dropped_events")
            data__droppedevents = data["dropped_events"]
            if not isinstance(data__droppedevents, (int)) and not (isinstance(data__droppedevents, float) and data__droppedevents.is_integer()) or isinstance(data__droppedevents, bool):
                raise SchemaError("" + (name_prefix or "data") + ".dropped_events must be integer", value=data__droppedevents, rule='type')
            if isinstance(data__droppedevents, (int, float, Decimal)) and not isinstance(data__droppedevents, bool):
                if data__droppedevents < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".dropped_events must be bigger than or equal to 0", value=data__droppedevents, rule='minimum')
                if data__droppedevents > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".dropped_events must be smaller than or equal to 4611686018427387904", value=data__droppedevents, rule='maximum')
        if data_keys:
            raise SchemaError("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", value=data, rule='additionalProperties')
    return data

def validate___definitions_event(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise SchemaError("" + (name_prefix or "data") + " must be object", value=data, rule='type')
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data__missing_keys = set(['thread', 'start', 'duration']) - data.keys()
        if data__missing_keys:
            raise SchemaError("" + (name_prefix or "data") + " must contain " + (str(sorted(data__missing_keys)) + " properties"), value=data, rule='required')
        data_keys = set(data.keys())
        if "thread" in data_keys:
            data_keys.remove("thread")
            data__thread = data["thread"]
            if not isinstance(data__thread, (int)) and not (isinstance(data__thread, float) and data__thread.is_integer()) or isinstance(data__thread, bool):
                raise SchemaError("" + (name_prefix or "data") + ".thread must be integer", value=data__thread, rule='type')
            if isinstance(data__thread, (int, float, Decimal)) and not isinstance(data__thread, bool):
                if data__thread < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".thread must be bigger than or equal to 0", value=data__thread, rule='minimum')
                if data__thread > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".thread must be smaller than or equal to 4611686018427387904", value=data__thread, rule='maximum')
        if "start" in data_keys:
            data_keys.remove("start")
            data__start = data["start"]
            if not isinstance(data__start, (int, float, Decimal)) or isinstance(data__start, bool):
                raise SchemaError("" + (name_prefix or "data") + ".start must be number", value=data__start, rule='type')
            if isinstance(data__start, (int, float, Decimal)) and not isinstance(data__start, bool):
                if data__start < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".start must be bigger than or equal to -1e+30", value=data__start, rule='minimum')
                if data__start > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".start must be smaller than or equal to 1e+30", value=data__start, rule='maximum')
        if "duration" in data_keys:
            data_keys.remove("duration")
            data__duration = data["duration"]
            if not isinstance(data__duration, (int, float, Decimal)) or isinstance(data__duration, bool):
                raise SchemaError("" + (name_prefix or "data") + ".duration must be number", value=data__duration, rule='type')
            if isinstance(data__duration, (int, float, Decimal)) and not isinstance(data__duration, bool):
                if data__duration < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".duration must be bigger than or equal to -1e+30", value=data__duration, rule='minimum')
                if data__duration > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".duration must be smaller than or equal to 1e+30", value=data__duration, rule='maximum')
        if "node" in data_keys:
            data_keys.remove("node")
            data__node = data["node"]
            if not isinstance(data__node, (int, NoneType)) and not (isinstance(data__node, float) and data__node.is_integer()) or isinstance(data__node, bool):
                raise SchemaError("" + (name_prefix or "data") + ".node must be integer or null", value=data__node, rule='type')
            if isinstance(data__node, (int, float, Decimal)) and not isinstance(data__node, bool):
                if data__node < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".node must be bigger than or equal to 0", value=data__node, rule='minimum')
                if data__node > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".node must be smaller than or equal to 4611686018427387904", value=data__node, rule='maximum')
        if "group" in data_keys:
            data_keys.remove("group")
            data__group = data["group"]
            if not isinstance(data__group, (int, NoneType)) and not (isinstance(data__group, float) and data__group.is_integer()) or isinstance(data__group, bool):
                raise SchemaError("" + (name_prefix or "data") + ".group must be integer or null", value=data__group, rule='type')
            if isinstance(data__group, (int, float, Decimal)) and not isinstance(data__group, bool):
                if data__group < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".group must be bigger than or equal to 0", value=data__group, rule='minimum')
                if data__group > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".group must be smaller than or equal to 4611686018427387904", value=data__group, rule='maximum')
        if "kind" in data_keys:
            data_keys.remove("kind")
            data__kind = data["kind"]
            if not isinstance(data__kind, (str)):
                raise SchemaError("" + (name_prefix or "data") + ".kind must be string", value=data__kind, rule='type')
            if isinstance(data__kind, str):
                if not REGEX_PATTERNS["text without halves of surrogate pairs_re_pattern"].match(data__kind):
                    raise SchemaError("" + (name_prefix or "data") + ".kind must be text without halves of surrogate pairs", value=data__kind, rule='format')
        if "call" in data_keys:
            data_keys.remove("call")
            data__call = data["call"]
            if not isinstance(data__call, (int, NoneType)) and not (isinstance(data__call, float) and data__call.is_integer()) or isinstance(data__call, bool):
                raise SchemaError("" + (name_prefix or "data") + ".call must be integer or null", value=data__call, rule='type')
            if isinstance(data__call, (int, float, Decimal)) and not isinstance(data__call, bool):
                if data__call < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".call must be bigger than or equal to 0", value=data__call, rule='minimum')
                if data__call > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".call must be smaller than or equal to 4611686018427387904", value=data__call, rule='maximum')
        if "step" in data_keys:
            data_keys.remove("step")
            data__step = data["step"]
            if not isinstance(data__step, (int, NoneType)) and not (isinstance(data__step, float) and data__step.is_integer()) or isinstance(data__step, bool):
                raise SchemaError("" + (name_prefix or "data") + ".step must be integer or null", value=data__step, rule='type')
            if isinstance(data__step, (int, float, Decimal)) and not isinstance(data__step, bool):
                if data__step < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".step must be bigger than or equal to 0", value=data__step, rule='minimum')
                if data__step > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".step must be smaller than or equal to 4611686018427387904", value=data__step, rule='maximum')
        if data_keys:
            raise SchemaError("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", value=data, rule='additionalProperties')
    return data

def validate___definitions_overheads(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise SchemaError("" + (name_prefix or "data") + " must be object", value=data, rule='type')
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data__missing_keys = set([]) - data.keys()
        if data__missing_keys:
            raise SchemaError("" + (name_prefix or "data") + " must contain " + (str(sorted(data__missing_keys)) + " properties"), value=data, rule='required')
        data_keys = set(data.keys())
        if "arguments" in data_keys:
            data_keys.remove("arguments")
            data__arguments = data["arguments"]
            if not isinstance(data__arguments, (int, float, Decimal)) or isinstance(data__arguments, bool):
                raise SchemaError("" + (name_prefix or "data") + ".arguments must be number", value=data__arguments, rule='type')
            if isinstance(data__arguments, (int, float, Decimal)) and not isinstance(data__arguments, bool):
                if data__arguments < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".arguments must be bigger than or equal to -1e+30", value=data__arguments, rule='minimum')
                if data__arguments > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".arguments must be smaller than or equal to 1e+30", value=data__arguments, rule='maximum')
        if "results" in data_keys:
            data_keys.remove("results")
            data__results = data["results"]
            if not isinstance(data__results, (int, float, Decimal)) or isinstance(data__results, bool):
                raise SchemaError("" + (name_prefix or "data") + ".results must be number", value=data__results, rule='type')
            if isinstance(data__results, (int, float, Decimal)) and not isinstance(data__results, bool):
                if data__results < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".results must be bigger than or equal to -1e+30", value=data__results, rule='minimum')
                if data__results > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".results must be smaller than or equal to 1e+30", value=data__results, rule='maximum')
        if "lock" in data_keys:
            data_keys.remove("lock")
            data__lock = data["lock"]
            if not isinstance(data__lock, (int, float, Decimal)) or isinstance(data__lock, bool):
                raise SchemaError("" + (name_prefix or "data") + ".lock must be number", value=data__lock, rule='type')
            if isinstance(data__lock, (int, float, Decimal)) and not isinstance(data__lock, bool):
                if data__lock < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".lock must be bigger than or equal to -1e+30", value=data__lock, rule='minimum')
                if data__lock > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".lock must be smaller than or equal to 1e+30", value=data__lock, rule='maximum')
        if "link" in data_keys:
            data_keys.remove("link")
            data__link = data["link"]
            if not isinstance(data__link, (int, float, Decimal)) or isinstance(data__link, bool):
                raise SchemaError("" + (name_prefix or "data") + ".link must be number", value=data__link, rule='type')
            if isinstance(data__link, (int, float, Decimal)) and not isinstance(data__link, bool):
                if data__link < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".link must be bigger than or equal to -1e+30", value=data__link, rule='minimum')
                if data__link > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".link must be smaller than or equal to 1e+30", value=data__link, rule='maximum')
        if "rewrite" in data_keys:
            data_keys.remove("rewrite")
            data__rewrite = data["rewrite"]
            if not isinstance(data__rewrite, (int, float, Decimal)) or isinstance(data__rewrite, bool):
                raise SchemaError("" + (name_prefix or "data") + ".rewrite must be number", value=data__rewrite, rule='type')
            if isinstance(data__rewrite, (int, float, Decimal)) and not isinstance(data__rewrite, bool):
                if data__rewrite < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".rewrite must be bigger than or equal to -1e+30", value=data__rewrite, rule='minimum')
                if data__rewrite > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".rewrite must be smaller than or equal to 1e+30", value=data__rewrite, rule='maximum')
        if "compile" in data_keys:
            data_keys.remove("compile")
            data__compile = data["compile"]
            if not isinstance(data__compile, (int, float, Decimal)) or isinstance(data__compile, bool):
                raise SchemaError("" + (name_prefix or "data") + ".compile must be number", value=data__compile, rule='type')
            if isinstance(data__compile, (int, float, Decimal)) and not isinstance(data__compile, bool):
                if data__compile < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".compile must be bigger than or equal to -1e+30", value=data__compile, rule='minimum')
                if data__compile > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".compile must be smaller than or equal to 1e+30", value=data__compile, rule='maximum')
        if "compile_background" in data_keys:
            data_keys.remove("compile_background")
            data__compilebackground = data["compile_background"]
            if not isinstance(data__compilebackground, (int, float, Decimal)) or isinstance(data__compilebackground, bool):
                raise SchemaError("" + (name_prefix or "data") + ".compile_background must be number", value=data__compilebackground, rule='type')
            if isinstance(data__compilebackground, (int, float, Decimal)) and not isinstance(data__compilebackground, bool):
                if data__compilebackground < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".compile_background must be bigger than or equal to -1e+30", value=data__compilebackground, rule='minimum')
                if data__compilebackground > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".compile_background must be smaller than or equal to 1e+30", value=data__compilebackground, rule='maximum')
        if "cache_hits" in data_keys:
            data_keys.remove("cache_hits")
            data__cachehits = data["cache_hits"]
            if not isinstance(data__cachehits, (int)) and not (isinstance(data__cachehits, float) and data__cachehits.is_integer()) or isinstance(data__cachehits, bool):
                raise SchemaError("" + (name_prefix or "data") + ".cache_hits must be integer", value=data__cachehits, rule='type')
            if isinstance(data__cachehits, (int, float, Decimal)) and not isinstance(data__cachehits, bool):
                if data__cachehits < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".cache_hits must be bigger than or equal to 0", value=data__cachehits, rule='minimum')
                if data__cachehits > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".cache_hits must be smaller than or equal to 4611686018427387904", value=data__cachehits, rule='maximum')
        if "changeover" in data_keys:
            data_keys.remove("changeover")
            data__changeover = data["changeover"]
            if not isinstance(data__changeover, (int, float, Decimal)) or isinstance(data__changeover, bool):
                raise SchemaError("" + (name_prefix or "data") + ".changeover must be number", value=data__changeover, rule='type')
            if isinstance(data__changeover, (int, float, Decimal)) and not isinstance(data__changeover, bool):
                if data__changeover < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".changeover must be bigger than or equal to -1e+30", value=data__changeover, rule='minimum')
                if data__changeover > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".changeover must be smaller than or equal to 1e+30", value=data__changeover, rule='maximum')
        if "other" in data_keys:
            data_keys.remove("other")
            data__other = data["other"]
            if not isinstance(data__other, (int, float, Decimal)) or isinstance(data__other, bool):
                raise SchemaError("" + (name_prefix or "data") + ".other must be number", value=data__other, rule='type')
            if isinstance(data__other, (int, float, Decimal)) and not isinstance(data__other, bool):
                if data__other < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".other must be bigger than or equal to -1e+30", value=data__other, rule='minimum')
                if data__other > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".other must be smaller than or equal to 1e+30", value=data__other, rule='maximum')
        if data_keys:
            raise SchemaError("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", value=data, rule='additionalProperties')
    return data

def validate___definitions_callrow(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise SchemaError("" + (name_prefix or "data") + " must be object", value=data, rule='type')
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data__missing_keys = set(['index']) - data.keys()
        if data__missing_keys:
            raise SchemaError("" + (name_prefix or "data") + " must contain " + (str(sorted(data__missing_keys)) + " properties"), value=data, rule='required')
        data_keys = set(data.keys())
        if "index" in data_keys:
            data_keys.remove("index")
            data__index = data["index"]
            if not isinstance(data__index, (int)) and not (isinstance(data__index, float) and data__index.is_integer()) or isinstance(data__index, bool):
                raise SchemaError("" + (name_prefix or "data") + ".index must be integer", value=data__index, rule='type')
            if isinstance(data__index, (int, float, Decimal)) and not isinstance(data__index, bool):
                if data__index < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".index must be bigger than or equal to 0", value=data__index, rule='minimum')
                if data__index > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".index must be smaller than or equal to 4611686018427387904", value=data__index, rule='maximum')
        if "thread" in data_keys:
            data_keys.remove("thread")
            data__thread = data["thread"]
            if not isinstance(data__thread, (int)) and not (isinstance(data__thread, float) and data__thread.is_integer()) or isinstance(data__thread, bool):
                raise SchemaError("" + (name_prefix or "data") + ".thread must be integer", value=data__thread, rule='type')
            if isinstance(data__thread, (int, float, Decimal)) and not isinstance(data__thread, bool):
                if data__thread < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".thread must be bigger than or equal to 0", value=data__thread, rule='minimum')
                if data__thread > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".thread must be smaller than or equal to 4611686018427387904", value=data__thread, rule='maximum')
        if "start" in data_keys:
            data_keys.remove("start")
            data__start = data["start"]
            if not isinstance(data__start, (int, float, Decimal)) or isinstance(data__start, bool):
                raise SchemaError("" + (name_prefix or "data") + ".start must be number", value=data__start, rule='type')
            if isinstance(data__start, (int, float, Decimal)) and not isinstance(data__start, bool):
                if data__start < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".start must be bigger than or equal to -1e+30", value=data__start, rule='minimum')
                if data__start > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".start must be smaller than or equal to 1e+30", value=data__start, rule='maximum')
        if "time" in data_keys:
            data_keys.remove("time")
            data__time = data["time"]
            if not isinstance(data__time, (int, float, Decimal)) or isinstance(data__time, bool):
                raise SchemaError("" + (name_prefix or "data") + ".time must be number", value=data__time, rule='type')
            if isinstance(data__time, (int, float, Decimal)) and not isinstance(data__time, bool):
                if data__time < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".time must be bigger than or equal to -1e+30", value=data__time, rule='minimum')
                if data__time > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".time must be smaller than or equal to 1e+30", value=data__time, rule='maximum')
        if "arms" in data_keys:
            data_keys.remove("arms")
            data__arms = data["arms"]
            if not isinstance(data__arms, (list, tuple)):
                raise SchemaError("" + (name_prefix or "data") + ".arms must be array", value=data__arms, rule='type')
            data__arms_is_list = isinstance(data__arms, (list, tuple))
            if data__arms_is_list:
                data__arms_len = len(data__arms)
                for data__arms_x, data__arms_item in enumerate(data__arms):
                    if not isinstance(data__arms_item, (list, tuple)):
                        raise SchemaError("" + (name_prefix or "data") + ".arms[{data__arms_x}]".format(**locals()) + " must be array", value=data__arms_item, rule='type')
                    data__arms_item_is_list = isinstance(data__arms_item, (list, tuple))
                    if data__arms_item_is_list:
                        data__arms_item_len = len(data__arms_item)
                        if data__arms_item_len < 2:
                            raise SchemaError("" + (name_prefix or "data") + ".arms[{data__arms_x}]".format(**locals()) + " must contain at least 2 items", value=data__arms_item, rule='minItems')
                        if data__arms_item_len > 2:
                            raise SchemaError("" + (name_prefix or "data") + ".arms[{data__arms_x}]".format(**locals()) + " must contain less than or equal to 2 items", value=data__arms_item, rule='maxItems')
                        for data__arms_item_x, data__arms_item_item in enumerate(data__arms_item):
                            if not isinstance(data__arms_item_item, (int)) and not (isinstance(data__arms_item_item, float) and data__arms_item_item.is_integer()) or isinstance(data__arms_item_item, bool):
                                raise SchemaError("" + (name_prefix or "data") + ".arms[{data__arms_x}][{data__arms_item_x}]".format(**locals()) + " must be integer", value=data__arms_item_item, rule='type')
                            if isinstance(data__arms_item_item, (int, float, Decimal)) and not isinstance(data__arms_item_item, bool):
                                if data__arms_item_item < 0:
                                    raise SchemaError("" + (name_prefix or "data") + ".arms[{data__arms_x}][{data__arms_item_x}]".format(**locals()) + " must be bigger than or equal to 0", value=data__arms_item_item, rule='minimum')
                                if data__arms_item_item > 4611686018427387904:
                                    raise SchemaError("" + (name_prefix or "data") + ".arms[{data__arms_x}][{data__arms_item_x}]".format(**locals()) + " must be smaller than or equal to 4611686018427387904", value=data__arms_item_item, rule='maximum')
        if "bytes" in data_keys:
            data_keys.remove("bytes")
            data__bytes = data["bytes"]
            if not isinstance(data__bytes, (int)) and not (isinstance(data__bytes, float) and data__bytes.is_integer()) or isinstance(data__bytes, bool):
                raise SchemaError("" + (name_prefix or "data") + ".bytes must be integer", value=data__bytes, rule='type')
            if isinstance(data__bytes, (int, float, Decimal)) and not isinstance(data__bytes, bool):
                if data__bytes < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".bytes must be bigger than or equal to 0", value=data__bytes, rule='minimum')
                if data__bytes > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".bytes must be smaller than or equal to 4611686018427387904", value=data__bytes, rule='maximum')
        if "failed" in data_keys:
            data_keys.remove("failed")
            data__failed = data["failed"]
            if not isinstance(data__failed, (bool)):
                raise SchemaError("" + (name_prefix or "data") + ".failed must be boolean", value=data__failed, rule='type')
        if data_keys:
            raise SchemaError("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", value=data, rule='additionalProperties')
    return data

def validate___definitions_grouprow(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise SchemaError("" + (name_prefix or "data") + " must be object", value=data, rule='type')
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data__missing_keys = set(['index']) - data.keys()
        if data__missing_keys:
            raise SchemaError("" + (name_prefix or "data") + " must contain " + (str(sorted(data__missing_keys)) + " properties"), value=data, rule='required')
        data_keys = set(data.keys())
        if "self_time" in data_keys:
            data_keys.remove("self_time")
            data__selftime = data["self_time"]
            if not isinstance(data__selftime, (int, float, Decimal)) or isinstance(data__selftime, bool):
                raise SchemaError("" + (name_prefix or "data") + ".self_time must be number", value=data__selftime, rule='type')
            if isinstance(data__selftime, (int, float, Decimal)) and not isinstance(data__selftime, bool):
                if data__selftime < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".self_time must be bigger than or equal to -1e+30", value=data__selftime, rule='minimum')
                if data__selftime > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".self_time must be smaller than or equal to 1e+30", value=data__selftime, rule='maximum')
        if "flops" in data_keys:
            data_keys.remove("flops")
            data__flops = data["flops"]
            if not isinstance(data__flops, (int, float, Decimal)) or isinstance(data__flops, bool):
                raise SchemaError("" + (name_prefix or "data") + ".flops must be number", value=data__flops, rule='type')
            if isinstance(data__flops, (int, float, Decimal)) and not isinstance(data__flops, bool):
                if data__flops < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".flops must be bigger than or equal to -1e+30", value=data__flops, rule='minimum')
                if data__flops > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".flops must be smaller than or equal to 1e+30", value=data__flops, rule='maximum')
        if "bytes_moved" in data_keys:
            data_keys.remove("bytes_moved")
            data__bytesmoved = data["bytes_moved"]
            if not isinstance(data__bytesmoved, (int, float, Decimal)) or isinstance(data__bytesmoved, bool):
                raise SchemaError("" + (name_prefix or "data") + ".bytes_moved must be number", value=data__bytesmoved, rule='type')
            if isinstance(data__bytesmoved, (int, float, Decimal)) and not isinstance(data__bytesmoved, bool):
                if data__bytesmoved < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".bytes_moved must be bigger than or equal to -1e+30", value=data__bytesmoved, rule='minimum')
                if data__bytesmoved > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".bytes_moved must be smaller than or equal to 1e+30", value=data__bytesmoved, rule='maximum')
        if "index" in data_keys:
            data_keys.remove("index")
            data__index = data["index"]
            if not isinstance(data__index, (int)) and not (isinstance(data__index, float) and data__index.is_integer()) or isinstance(data__index, bool):
                raise SchemaError("" + (name_prefix or "data") + ".index must be integer", value=data__index, rule='type')
            if isinstance(data__index, (int, float, Decimal)) and not isinstance(data__index, bool):
                if data__index < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".index must be bigger than or equal to 0", value=data__index, rule='minimum')
                if data__index > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".index must be smaller than or equal to 4611686018427387904", value=data__index, rule='maximum')
        if "nodes" in data_keys:
            data_keys.remove("nodes")
            data__nodes = data["nodes"]
            if not isinstance(data__nodes, (list, tuple)):
                raise SchemaError("" + (name_prefix or "data") + ".nodes must be array", value=data__nodes, rule='type')
            data__nodes_is_list = isinstance(data__nodes, (list, tuple))
            if data__nodes_is_list:
                data__nodes_len = len(data__nodes)
                for data__nodes_x, data__nodes_item in enumerate(data__nodes):
                    if not isinstance(data__nodes_item, (int)) and not (isinstance(data__nodes_item, float) and data__nodes_item.is_integer()) or isinstance(data__nodes_item, bool):
                        raise SchemaError("" + (name_prefix or "data") + ".nodes[{data__nodes_x}]".format(**locals()) + " must be integer", value=data__nodes_item, rule='type')
                    if isinstance(data__nodes_item, (int, float, Decimal)) and not isinstance(data__nodes_item, bool):
                        if data__nodes_item < 0:
                            raise SchemaError("" + (name_prefix or "data") + ".nodes[{data__nodes_x}]".format(**locals()) + " must be bigger than or equal to 0", value=data__nodes_item, rule='minimum')
                        if data__nodes_item > 4611686018427387904:
                            raise SchemaError("" + (name_prefix or "data") + ".nodes[{data__nodes_x}]".format(**locals()) + " must be smaller than or equal to 4611686018427387904", value=data__nodes_item, rule='maximum')
        if "runs" in data_keys:
            data_keys.remove("runs")
            data__runs = data["runs"]
            if not isinstance(data__runs, (int)) and not (isinstance(data__runs, float) and data__runs.is_integer()) or isinstance(data__runs, bool):
                raise SchemaError("" + (name_prefix or "data") + ".runs must be integer", value=data__runs, rule='type')
            if isinstance(data__runs, (int, float, Decimal)) and not isinstance(data__runs, bool):
                if data__runs < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".runs must be bigger than or equal to 0", value=data__runs, rule='minimum')
                if data__runs > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".runs must be smaller than or equal to 4611686018427387904", value=data__runs, rule='maximum')
        if "kind" in data_keys:
            data_keys.remove("kind")
            data__kind = data["kind"]
            if not isinstance(data__kind, (str)):
                raise SchemaError("" + (name_prefix or "data") + ".kind must be string", value=data__kind, rule='type')
            if isinstance(data__kind, str):
                if not REGEX_PATTERNS["text without halves of surrogate pairs_re_pattern"].match(data__kind):
                    raise SchemaError("" + (name_prefix or "data") + ".kind must be text without halves of surrogate pairs", value=data__kind, rule='format')
        if data_keys:
            raise SchemaError("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", value=data, rule='additionalProperties')
    return data

def validate___definitions_looprow(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise SchemaError("" + (name_prefix or "data") + " must be object", value=data, rule='type')
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data__missing_keys = set(['index', 'node', 'condition']) - data.keys()
        if data__missing_keys:
            raise SchemaError("" + (name_prefix or "data") + " must contain " + (str(sorted(data__missing_keys)) + " properties"), value=data, rule='required')
        data_keys = set(data.keys())
        if "index" in data_keys:
            data_keys.remove("index")
            data__index = data["index"]
            if not isinstance(data__index, (int)) and not (isinstance(data__index, float) and data__index.is_integer()) or isinstance(data__index, bool):
                raise SchemaError("" + (name_prefix or "data") + ".index must be integer", value=data__index, rule='type')
            if isinstance(data__index, (int, float, Decimal)) and not isinstance(data__index, bool):
                if data__index < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".index must be bigger than or equal to 0", value=data__index, rule='minimum')
                if data__index > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".index must be smaller than or equal to 4611686018427387904", value=data__index, rule='maximum')
        if "node" in data_keys:
            data_keys.remove("node")
            data__node = data["node"]
            if not isinstance(data__node, (int)) and not (isinstance(data__node, float) and data__node.is_integer()) or isinstance(data__node, bool):
                raise SchemaError("" + (name_prefix or "data") + ".node must be integer", value=data__node, rule='type')
            if isinstance(data__node, (int, float, Decimal)) and not isinstance(data__node, bool):
                if data__node < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".node must be bigger than or equal to 0", value=data__node, rule='minimum')
                if data__node > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".node must be smaller than or equal to 4611686018427387904", value=data__node, rule='maximum')
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
        if "outer" in data_keys:
            data_keys.remove("outer")
            data__outer = data["outer"]
            if not isinstance(data__outer, (int, NoneType)) and not (isinstance(data__outer, float) and data__outer.is_integer()) or isinstance(data__outer, bool):
                raise SchemaError("" + (name_prefix or "data") + ".outer must be integer or null", value=data__outer, rule='type')
            if isinstance(data__outer, (int, float, Decimal)) and not isinstance(data__outer, bool):
                if data__outer < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".outer must be bigger than or equal to 0", value=data__outer, rule='minimum')
                if data__outer > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".outer must be smaller than or equal to 4611686018427387904", value=data__outer, rule='maximum')
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
        if "by_limit" in data_keys:
            data_keys.remove("by_limit")
            data__bylimit = data["by_limit"]
            if not isinstance(data__bylimit, (int)) and not (isinstance(data__bylimit, float) and data__bylimit.is_integer()) or isinstance(data__bylimit, bool):
                raise SchemaError("" + (name_prefix or "data") + ".by_limit must be integer", value=data__bylimit, rule='type')
            if isinstance(data__bylimit, (int, float, Decimal)) and not isinstance(data__bylimit, bool):
                if data__bylimit < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".by_limit must be bigger than or equal to 0", value=data__bylimit, rule='minimum')
                if data__bylimit > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".by_limit must be smaller than or equal to 4611686018427387904", value=data__bylimit, rule='maximum')
        if "failed" in data_keys:
            data_keys.remove("failed")
            data__failed = data["failed"]
            if not isinstance(data__failed, (int)) and not (isinstance(data__failed, float) and data__failed.is_integer()) or isinstance(data__failed, bool):
                raise SchemaError("" + (name_prefix or "data") + ".failed must be integer", value=data__failed, rule='type')
            if isinstance(data__failed, (int, float, Decimal)) and not isinstance(data__failed, bool):
                if data__failed < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".failed must be bigger than or equal to 0", value=data__failed, rule='minimum')
                if data__failed > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".failed must be smaller than or equal to 4611686018427387904", value=data__failed, rule='maximum')
        if "steps" in data_keys:
            data_keys.remove("steps")
            data__steps = data["steps"]
            if not isinstance(data__steps, (int)) and not (isinstance(data__steps, float) and data__steps.is_integer()) or isinstance(data__steps, bool):
                raise SchemaError("" + (name_prefix or "data") + ".steps must be integer", value=data__steps, rule='type')
            if isinstance(data__steps, (int, float, Decimal)) and not isinstance(data__steps, bool):
                if data__steps < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".steps must be bigger than or equal to 0", value=data__steps, rule='minimum')
                if data__steps > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".steps must be smaller than or equal to 4611686018427387904", value=data__steps, rule='maximum')
        if "time" in data_keys:
            data_keys.remove("time")
            data__time = data["time"]
            if not isinstance(data__time, (int, float, Decimal)) or isinstance(data__time, bool):
                raise SchemaError("" + (name_prefix or "data") + ".time must be number", value=data__time, rule='type')
            if isinstance(data__time, (int, float, Decimal)) and not isinstance(data__time, bool):
                if data__time < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".time must be bigger than or equal to -1e+30", value=data__time, rule='minimum')
                if data__time > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".time must be smaller than or equal to 1e+30", value=data__time, rule='maximum')
        if "saved" in data_keys:
            data_keys.remove("saved")
            data__saved = data["saved"]
            if not isinstance(data__saved, (int, float, Decimal, NoneType)) or isinstance(data__saved, bool):
                raise SchemaError("" + (name_prefix or "data") + ".saved must be number or null", value=data__saved, rule='type')
            if isinstance(data__saved, (int, float, Decimal)) and not isinstance(data__saved, bool):
                if data__saved < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".saved must be bigger than or equal to -1e+30", value=data__saved, rule='minimum')
                if data__saved > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".saved must be smaller than or equal to 1e+30", value=data__saved, rule='maximum')
        if data_keys:
            raise SchemaError("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", value=data, rule='additionalProperties')
    return data

def validate___definitions_regionrow(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise SchemaError("" + (name_prefix or "data") + " must be object", value=data, rule='type')
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data__missing_keys = set(['index', 'condition', 'arm']) - data.keys()
        if data__missing_keys:
            raise SchemaError("" + (name_prefix or "data") + " must contain " + (str(sorted(data__missing_keys)) + " properties"), value=data, rule='required')
        data_keys = set(data.keys())
        if "index" in data_keys:
            data_keys.remove("index")
            data__index = data["index"]
            if not isinstance(data__index, (int)) and not (isinstance(data__index, float) and data__index.is_integer()) or isinstance(data__index, bool):
                raise SchemaError("" + (name_prefix or "data") + ".index must be integer", value=data__index, rule='type')
            if isinstance(data__index, (int, float, Decimal)) and not isinstance(data__index, bool):
                if data__index < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".index must be bigger than or equal to 0", value=data__index, rule='minimum')
                if data__index > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".index must be smaller than or equal to 4611686018427387904", value=data__index, rule='maximum')
        if "around" in data_keys:
            data_keys.remove("around")
            data__around = data["around"]
            if not isinstance(data__around, (int, NoneType)) and not (isinstance(data__around, float) and data__around.is_integer()) or isinstance(data__around, bool):
                raise SchemaError("" + (name_prefix or "data") + ".around must be integer or null", value=data__around, rule='type')
            if isinstance(data__around, (int, float, Decimal)) and not isinstance(data__around, bool):
                if data__around < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".around must be bigger than or equal to 0", value=data__around, rule='minimum')
                if data__around > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".around must be smaller than or equal to 4611686018427387904", value=data__around, rule='maximum')
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
        if "arm" in data_keys:
            data_keys.remove("arm")
            data__arm = data["arm"]
            if not isinstance(data__arm, (int)) and not (isinstance(data__arm, float) and data__arm.is_integer()) or isinstance(data__arm, bool):
                raise SchemaError("" + (name_prefix or "data") + ".arm must be integer", value=data__arm, rule='type')
            if isinstance(data__arm, (int, float, Decimal)) and not isinstance(data__arm, bool):
                if data__arm < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".arm must be bigger than or equal to 0", value=data__arm, rule='minimum')
                if data__arm > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".arm must be smaller than or equal to 4611686018427387904", value=data__arm, rule='maximum')
        if data_keys:
            raise SchemaError("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", value=data, rule='additionalProperties')
    return data

def validate___definitions_conditionrow(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise SchemaError("" + (name_prefix or "data") + " must be object", value=data, rule='type')
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data__missing_keys = set(['index', 'node']) - data.keys()
        if data__missing_keys:
            raise SchemaError("" + (name_prefix or "data") + " must contain " + (str(sorted(data__missing_keys)) + " properties"), value=data, rule='required')
        data_keys = set(data.keys())
        if "index" in data_keys:
            data_keys.remove("index")
            data__index = data["index"]
            if not isinstance(data__index, (int)) and not (isinstance(data__index, float) and data__index.is_integer()) or isinstance(data__index, bool):
                raise SchemaError("" + (name_prefix or "data") + ".index must be integer", value=data__index, rule='type')
            if isinstance(data__index, (int, float, Decimal)) and not isinstance(data__index, bool):
                if data__index < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".index must be bigger than or equal to 0", value=data__index, rule='minimum')
                if data__index > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".index must be smaller than or equal to 4611686018427387904", value=data__index, rule='maximum')
        if "node" in data_keys:
            data_keys.remove("node")
            data__node = data["node"]
            if not isinstance(data__node, (int)) and not (isinstance(data__node, float) and data__node.is_integer()) or isinstance(data__node, bool):
                raise SchemaError("" + (name_prefix or "data") + ".node must be integer", value=data__node, rule='type')
            if isinstance(data__node, (int, float, Decimal)) and not isinstance(data__node, bool):
                if data__node < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".node must be bigger than or equal to 0", value=data__node, rule='minimum')
                if data__node > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".node must be smaller than or equal to 4611686018427387904", value=data__node, rule='maximum')
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
        if "evaluations" in data_keys:
            data_keys.remove("evaluations")
            data__evaluations = data["evaluations"]
            if not isinstance(data__evaluations, (int)) and not (isinstance(data__evaluations, float) and data__evaluations.is_integer()) or isinstance(data__evaluations, bool):
                raise SchemaError("" + (name_prefix or "data") + ".evaluations must be integer", value=data__evaluations, rule='type')
            if isinstance(data__evaluations, (int, float, Decimal)) and not isinstance(data__evaluations, bool):
                if data__evaluations < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".evaluations must be bigger than or equal to 0", value=data__evaluations, rule='minimum')
                if data__evaluations > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".evaluations must be smaller than or equal to 4611686018427387904", value=data__evaluations, rule='maximum')
        if "flips" in data_keys:
            data_keys.remove("flips")
            data__flips = data["flips"]
            if not isinstance(data__flips, (int)) and not (isinstance(data__flips, float) and data__flips.is_integer()) or isinstance(data__flips, bool):
                raise SchemaError("" + (name_prefix or "data") + ".flips must be integer", value=data__flips, rule='type')
            if isinstance(data__flips, (int, float, Decimal)) and not isinstance(data__flips, bool):
                if data__flips < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".flips must be bigger than or equal to 0", value=data__flips, rule='minimum')
                if data__flips > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".flips must be smaller than or equal to 4611686018427387904", value=data__flips, rule='maximum')
        if "arms" in data_keys:
            data_keys.remove("arms")
            data__arms = data["arms"]
            if not isinstance(data__arms, (list, tuple)):
                raise SchemaError("" + (name_prefix or "data") + ".arms must be array", value=data__arms, rule='type')
            data__arms_is_list = isinstance(data__arms, (list, tuple))
            if data__arms_is_list:
                data__arms_len = len(data__arms)
                for data__arms_x, data__arms_item in enumerate(data__arms):
                    validate___definitions_armrow(data__arms_item, custom_formats, (name_prefix or "data") + ".arms[{data__arms_x}]".format(**locals()))
        if "saved" in data_keys:
            data_keys.remove("saved")
            data__saved = data["saved"]
            if not isinstance(data__saved, (int, float, Decimal, NoneType)) or isinstance(data__saved, bool):
                raise SchemaError("" + (name_prefix or "data") + ".saved must be number or null", value=data__saved, rule='type')
            if isinstance(data__saved, (int, float, Decimal)) and not isinstance(data__saved, bool):
                if data__saved < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".saved must be bigger than or equal to -1e+30", value=data__saved, rule='minimum')
                if data__saved > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".saved must be smaller than or equal to 1e+30", value=data__saved, rule='maximum')
        if "break_even" in data_keys:
            data_keys.remove("break_even")
            data__breakeven = data["break_even"]
            if not isinstance(data__breakeven, (int, float, Decimal, NoneType)) or isinstance(data__breakeven, bool):
                raise SchemaError("" + (name_prefix or "data") + ".break_even must be number or null", value=data__breakeven, rule='type')
            if isinstance(data__breakeven, (int, float, Decimal)) and not isinstance(data__breakeven, bool):
                if data__breakeven < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".break_even must be bigger than or equal to -1e+30", value=data__breakeven, rule='minimum')
                if data__breakeven > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".break_even must be smaller than or equal to 1e+30", value=data__breakeven, rule='maximum')
        if "loop" in data_keys:
            data_keys.remove("loop")
            data__loop = data["loop"]
            if not isinstance(data__loop, (int, NoneType)) and not (isinstance(data__loop, float) and data__loop.is_integer()) or isinstance(data__loop, bool):
                raise SchemaError("" + (name_prefix or "data") + ".loop must be integer or null", value=data__loop, rule='type')
            if isinstance(data__loop, (int, float, Decimal)) and not isinstance(data__loop, bool):
                if data__loop < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".loop must be bigger than or equal to 0", value=data__loop, rule='minimum')
                if data__loop > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".loop must be smaller than or equal to 4611686018427387904", value=data__loop, rule='maximum')
        if "by_steps" in data_keys:
            data_keys.remove("by_steps")
            data__bysteps = data["by_steps"]
            if not isinstance(data__bysteps, (list, tuple)):
                raise SchemaError("" + (name_prefix or "data") + ".by_steps must be array", value=data__bysteps, rule='type')
            data__bysteps_is_list = isinstance(data__bysteps, (list, tuple))
            if data__bysteps_is_list:
                data__bysteps_len = len(data__bysteps)
                for data__bysteps_x, data__bysteps_item in enumerate(data__bysteps):
                    if not isinstance(data__bysteps_item, (list, tuple)):
                        raise SchemaError("" + (name_prefix or "data") + ".by_steps[{data__bysteps_x}]".format(**locals()) + " must be array", value=data__bysteps_item, rule='type')
                    data__bysteps_item_is_list = isinstance(data__bysteps_item, (list, tuple))
                    if data__bysteps_item_is_list:
                        data__bysteps_item_len = len(data__bysteps_item)
                        for data__bysteps_item_x, data__bysteps_item_item in enumerate(data__bysteps_item):
                            if not isinstance(data__bysteps_item_item, (int)) and not (isinstance(data__bysteps_item_item, float) and data__bysteps_item_item.is_integer()) or isinstance(data__bysteps_item_item, bool):
                                raise SchemaError("" + (name_prefix or "data") + ".by_steps[{data__bysteps_x}][{data__bysteps_item_x}]".format(**locals()) + " must be integer", value=data__bysteps_item_item, rule='type')
                            if isinstance(data__bysteps_item_item, (int, float, Decimal)) and not isinstance(data__bysteps_item_item, bool):
                                if data__bysteps_item_item < 0:
                                    raise SchemaError("" + (name_prefix or "data") + ".by_steps[{data__bysteps_x}][{data__bysteps_item_x}]".format(**locals()) + " must be bigger than or equal to 0", value=data__bysteps_item_item, rule='minimum')
                                if data__bysteps_item_item > 4611686018427387904:
                                    raise SchemaError("" + (name_prefix or "data") + ".by_steps[{data__bysteps_x}][{data__bysteps_item_x}]".format(**locals()) + " must be smaller than or equal to 4611686018427387904", value=data__bysteps_item_item, rule='maximum')
        if data_keys:
            raise SchemaError("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", value=data, rule='additionalProperties')
    return data

def validate___definitions_armrow(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise SchemaError("" + (name_prefix or "data") + " must be object", value=data, rule='type')
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data__missing_keys = set(['name']) - data.keys()
        if data__missing_keys:
            raise SchemaError("" + (name_prefix or "data") + " must contain " + (str(sorted(data__missing_keys)) + " properties"), value=data, rule='required')
        data_keys = set(data.keys())
        if "name" in data_keys:
            data_keys.remove("name")
            data__name = data["name"]
            if not isinstance(data__name, (str)):
                raise SchemaError("" + (name_prefix or "data") + ".name must be string", value=data__name, rule='type')
            if isinstance(data__name, str):
                if not REGEX_PATTERNS["text without halves of surrogate pairs_re_pattern"].match(data__name):
                    raise SchemaError("" + (name_prefix or "data") + ".name must be text without halves of surrogate pairs", value=data__name, rule='format')
        if "taken" in data_keys:
            data_keys.remove("taken")
            data__taken = data["taken"]
            if not isinstance(data__taken, (int)) and not (isinstance(data__taken, float) and data__taken.is_integer()) or isinstance(data__taken, bool):
                raise SchemaError("" + (name_prefix or "data") + ".taken must be integer", value=data__taken, rule='type')
            if isinstance(data__taken, (int, float, Decimal)) and not isinstance(data__taken, bool):
                if data__taken < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".taken must be bigger than or equal to 0", value=data__taken, rule='minimum')
                if data__taken > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".taken must be smaller than or equal to 4611686018427387904", value=data__taken, rule='maximum')
        if "time" in data_keys:
            data_keys.remove("time")
            data__time = data["time"]
            if not isinstance(data__time, (int, float, Decimal)) or isinstance(data__time, bool):
                raise SchemaError("" + (name_prefix or "data") + ".time must be number", value=data__time, rule='type')
            if isinstance(data__time, (int, float, Decimal)) and not isinstance(data__time, bool):
                if data__time < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".time must be bigger than or equal to -1e+30", value=data__time, rule='minimum')
                if data__time > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".time must be smaller than or equal to 1e+30", value=data__time, rule='maximum')
        if "nodes" in data_keys:
            data_keys.remove("nodes")
            data__nodes = data["nodes"]
            if not isinstance(data__nodes, (list, tuple)):
                raise SchemaError("" + (name_prefix or "data") + ".nodes must be array", value=data__nodes, rule='type')
            data__nodes_is_list = isinstance(data__nodes, (list, tuple))
            if data__nodes_is_list:
                data__nodes_len = len(data__nodes)
                for data__nodes_x, data__nodes_item in enumerate(data__nodes):
                    if not isinstance(data__nodes_item, (int)) and not (isinstance(data__nodes_item, float) and data__nodes_item.is_integer()) or isinstance(data__nodes_item, bool):
                        raise SchemaError("" + (name_prefix or "data") + ".nodes[{data__nodes_x}]".format(**locals()) + " must be integer", value=data__nodes_item, rule='type')
                    if isinstance(data__nodes_item, (int, float, Decimal)) and not isinstance(data__nodes_item, bool):
                        if data__nodes_item < 0:
                            raise SchemaError("" + (name_prefix or "data") + ".nodes[{data__nodes_x}]".format(**locals()) + " must be bigger than or equal to 0", value=data__nodes_item, rule='minimum')
                        if data__nodes_item > 4611686018427387904:
                            raise SchemaError("" + (name_prefix or "data") + ".nodes[{data__nodes_x}]".format(**locals()) + " must be smaller than or equal to 4611686018427387904", value=data__nodes_item, rule='maximum')
        if "idle" in data_keys:
            data_keys.remove("idle")
            data__idle = data["idle"]
            if not isinstance(data__idle, (bool)):
                raise SchemaError("" + (name_prefix or "data") + ".idle must be boolean", value=data__idle, rule='type')
        if data_keys:
            raise SchemaError("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", value=data, rule='additionalProperties')
    return data

def validate___definitions_noderow(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise SchemaError("" + (name_prefix or "data") + " must be object", value=data, rule='type')
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data__missing_keys = set(['index', 'op']) - data.keys()
        if data__missing_keys:
            raise SchemaError("" + (name_prefix or "data") + " must contain " + (str(sorted(data__missing_keys)) + " properties"), value=data, rule='required')
        data_keys = set(data.keys())
        if "self_time" in data_keys:
            data_keys.remove("self_time")
            data__selftime = data["self_time"]
            if not isinstance(data__selftime, (int, float, Decimal)) or isinstance(data__selftime, bool):
                raise SchemaError("" + (name_prefix or "data") + ".self_time must be number", value=data__selftime, rule='type')
            if isinstance(data__selftime, (int, float, Decimal)) and not isinstance(data__selftime, bool):
                if data__selftime < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".self_time must be bigger than or equal to -1e+30", value=data__selftime, rule='minimum')
                if data__selftime > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".self_time must be smaller than or equal to 1e+30", value=data__selftime, rule='maximum')
        if "flops" in data_keys:
            data_keys.remove("flops")
            data__flops = data["flops"]
            if not isinstance(data__flops, (int, float, Decimal)) or isinstance(data__flops, bool):
                raise SchemaError("" + (name_prefix or "data") + ".flops must be number", value=data__flops, rule='type')
            if isinstance(data__flops, (int, float, Decimal)) and not isinstance(data__flops, bool):
                if data__flops < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".flops must be bigger than or equal to -1e+30", value=data__flops, rule='minimum')
                if data__flops > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".flops must be smaller than or equal to 1e+30", value=data__flops, rule='maximum')
        if "bytes_moved" in data_keys:
            data_keys.remove("bytes_moved")
            data__bytesmoved = data["bytes_moved"]
            if not isinstance(data__bytesmoved, (int, float, Decimal)) or isinstance(data__bytesmoved, bool):
                raise SchemaError("" + (name_prefix or "data") + ".bytes_moved must be number", value=data__bytesmoved, rule='type')
            if isinstance(data__bytesmoved, (int, float, Decimal)) and not isinstance(data__bytesmoved, bool):
                if data__bytesmoved < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".bytes_moved must be bigger than or equal to -1e+30", value=data__bytesmoved, rule='minimum')
                if data__bytesmoved > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".bytes_moved must be smaller than or equal to 1e+30", value=data__bytesmoved, rule='maximum')
        if "index" in data_keys:
            data_keys.remove("index")
            data__index = data["index"]
            if not isinstance(data__index, (int)) and not (isinstance(data__index, float) and data__index.is_integer()) or isinstance(data__index, bool):
                raise SchemaError("" + (name_prefix or "data") + ".index must be integer", value=data__index, rule='type')
            if isinstance(data__index, (int, float, Decimal)) and not isinstance(data__index, bool):
                if data__index < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".index must be bigger than or equal to 0", value=data__index, rule='minimum')
                if data__index > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".index must be smaller than or equal to 4611686018427387904", value=data__index, rule='maximum')
        if "op" in data_keys:
            data_keys.remove("op")
            data__op = data["op"]
            if not isinstance(data__op, (str)):
                raise SchemaError("" + (name_prefix or "data") + ".op must be string", value=data__op, rule='type')
            if isinstance(data__op, str):
                if not REGEX_PATTERNS["text without halves of surrogate pairs_re_pattern"].match(data__op):
                    raise SchemaError("" + (name_prefix or "data") + ".op must be text without halves of surrogate pairs", value=data__op, rule='format')
        if "op_class" in data_keys:
            data_keys.remove("op_class")
            data__opclass = data["op_class"]
            if not isinstance(data__opclass, (str)):
                raise SchemaError("" + (name_prefix or "data") + ".op_class must be string", value=data__opclass, rule='type')
            if isinstance(data__opclass, str):
                if not REGEX_PATTERNS["text without halves of surrogate pairs_re_pattern"].match(data__opclass):
                    raise SchemaError("" + (name_prefix or "data") + ".op_class must be text without halves of surrogate pairs", value=data__opclass, rule='format')
        if "name" in data_keys:
            data_keys.remove("name")
            data__name = data["name"]
            if not isinstance(data__name, (str)):
                raise SchemaError("" + (name_prefix or "data") + ".name must be string", value=data__name, rule='type')
            if isinstance(data__name, str):
                if not REGEX_PATTERNS["text without halves of surrogate pairs_re_pattern"].match(data__name):
                    raise SchemaError("" + (name_prefix or "data") + ".name must be text without halves of surrogate pairs", value=data__name, rule='format')
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
        if "source" in data_keys:
            data_keys.remove("source")
            data__source = data["source"]
            if not isinstance(data__source, (str)):
                raise SchemaError("" + (name_prefix or "data") + ".source must be string", value=data__source, rule='type')
            if isinstance(data__source, str):
                if not REGEX_PATTERNS["text without halves of surrogate pairs_re_pattern"].match(data__source):
                    raise SchemaError("" + (name_prefix or "data") + ".source must be text without halves of surrogate pairs", value=data__source, rule='format')
        if "region" in data_keys:
            data_keys.remove("region")
            data__region = data["region"]
            if not isinstance(data__region, (str)):
                raise SchemaError("" + (name_prefix or "data") + ".region must be string", value=data__region, rule='type')
            if isinstance(data__region, str):
                if not REGEX_PATTERNS["text without halves of surrogate pairs_re_pattern"].match(data__region):
                    raise SchemaError("" + (name_prefix or "data") + ".region must be text without halves of surrogate pairs", value=data__region, rule='format')
        if "region_index" in data_keys:
            data_keys.remove("region_index")
            data__regionindex = data["region_index"]
            if not isinstance(data__regionindex, (int, NoneType)) and not (isinstance(data__regionindex, float) and data__regionindex.is_integer()) or isinstance(data__regionindex, bool):
                raise SchemaError("" + (name_prefix or "data") + ".region_index must be integer or null", value=data__regionindex, rule='type')
            if isinstance(data__regionindex, (int, float, Decimal)) and not isinstance(data__regionindex, bool):
                if data__regionindex < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".region_index must be bigger than or equal to 0", value=data__regionindex, rule='minimum')
                if data__regionindex > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".region_index must be smaller than or equal to 4611686018427387904", value=data__regionindex, rule='maximum')
        if "memoised" in data_keys:
            data_keys.remove("memoised")
            data__memoised = data["memoised"]
            if not isinstance(data__memoised, (bool)):
                raise SchemaError("" + (name_prefix or "data") + ".memoised must be boolean", value=data__memoised, rule='type')
        if "form" in data_keys:
            data_keys.remove("form")
            data__form = data["form"]
            if not isinstance(data__form, (str)):
                raise SchemaError("" + (name_prefix or "data") + ".form must be string", value=data__form, rule='type')
            if isinstance(data__form, str):
                if not REGEX_PATTERNS["text without halves of surrogate pairs_re_pattern"].match(data__form):
                    raise SchemaError("" + (name_prefix or "data") + ".form must be text without halves of surrogate pairs", value=data__form, rule='format')
        if "group" in data_keys:
            data_keys.remove("group")
            data__group = data["group"]
            if not isinstance(data__group, (int, NoneType)) and not (isinstance(data__group, float) and data__group.is_integer()) or isinstance(data__group, bool):
                raise SchemaError("" + (name_prefix or "data") + ".group must be integer or null", value=data__group, rule='type')
            if isinstance(data__group, (int, float, Decimal)) and not isinstance(data__group, bool):
                if data__group < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".group must be bigger than or equal to 0", value=data__group, rule='minimum')
                if data__group > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".group must be smaller than or equal to 4611686018427387904", value=data__group, rule='maximum')
        if "inputs" in data_keys:
            data_keys.remove("inputs")
            data__inputs = data["inputs"]
            if not isinstance(data__inputs, (list, tuple)):
                raise SchemaError("" + (name_prefix or "data") + ".inputs must be array", value=data__inputs, rule='type')
            data__inputs_is_list = isinstance(data__inputs, (list, tuple))
            if data__inputs_is_list:
                data__inputs_len = len(data__inputs)
                for data__inputs_x, data__inputs_item in enumerate(data__inputs):
                    if not isinstance(data__inputs_item, (int, str)) and not (isinstance(data__inputs_item, float) and data__inputs_item.is_integer()) or isinstance(data__inputs_item, bool):
                        raise SchemaError("" + (name_prefix or "data") + ".inputs[{data__inputs_x}]".format(**locals()) + " must be integer or string", value=data__inputs_item, rule='type')
                    if isinstance(data__inputs_item, str):
                        if not REGEX_PATTERNS["text without halves of surrogate pairs_re_pattern"].match(data__inputs_item):
                            raise SchemaError("" + (name_prefix or "data") + ".inputs[{data__inputs_x}]".format(**locals()) + " must be text without halves of surrogate pairs", value=data__inputs_item, rule='format')
                    if isinstance(data__inputs_item, (int, float, Decimal)) and not isinstance(data__inputs_item, bool):
                        if data__inputs_item < 0:
                            raise SchemaError("" + (name_prefix or "data") + ".inputs[{data__inputs_x}]".format(**locals()) + " must be bigger than or equal to 0", value=data__inputs_item, rule='minimum')
                        if data__inputs_item > 4611686018427387904:
                            raise SchemaError("" + (name_prefix or "data") + ".inputs[{data__inputs_x}]".format(**locals()) + " must be smaller than or equal to 4611686018427387904", value=data__inputs_item, rule='maximum')
        if "type" in data_keys:
            data_keys.remove("type")
            data__type = data["type"]
            if not isinstance(data__type, (str)):
                raise SchemaError("" + (name_prefix or "data") + ".type must be string", value=data__type, rule='type')
            if isinstance(data__type, str):
                if not REGEX_PATTERNS["text without halves of surrogate pairs_re_pattern"].match(data__type):
                    raise SchemaError("" + (name_prefix or "data") + ".type must be text without halves of surrogate pairs", value=data__type, rule='format')
        if "output" in data_keys:
            data_keys.remove("output")
            data__output = data["output"]
            if not isinstance(data__output, (bool)):
                raise SchemaError("" + (name_prefix or "data") + ".output must be boolean", value=data__output, rule='type')
        if "entered" in data_keys:
            data_keys.remove("entered")
            data__entered = data["entered"]
            if not isinstance(data__entered, (int)) and not (isinstance(data__entered, float) and data__entered.is_integer()) or isinstance(data__entered, bool):
                raise SchemaError("" + (name_prefix or "data") + ".entered must be integer", value=data__entered, rule='type')
            if isinstance(data__entered, (int, float, Decimal)) and not isinstance(data__entered, bool):
                if data__entered < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".entered must be bigger than or equal to 0", value=data__entered, rule='minimum')
                if data__entered > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".entered must be smaller than or equal to 4611686018427387904", value=data__entered, rule='maximum')
        if "runs" in data_keys:
            data_keys.remove("runs")
            data__runs = data["runs"]
            if not isinstance(data__runs, (int)) and not (isinstance(data__runs, float) and data__runs.is_integer()) or isinstance(data__runs, bool):
                raise SchemaError("" + (name_prefix or "data") + ".runs must be integer", value=data__runs, rule='type')
            if isinstance(data__runs, (int, float, Decimal)) and not isinstance(data__runs, bool):
                if data__runs < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".runs must be bigger than or equal to 0", value=data__runs, rule='minimum')
                if data__runs > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".runs must be smaller than or equal to 4611686018427387904", value=data__runs, rule='maximum')
        if "suspended" in data_keys:
            data_keys.remove("suspended")
            data__suspended = data["suspended"]
            if not isinstance(data__suspended, (int)) and not (isinstance(data__suspended, float) and data__suspended.is_integer()) or isinstance(data__suspended, bool):
                raise SchemaError("" + (name_prefix or "data") + ".suspended must be integer", value=data__suspended, rule='type')
            if isinstance(data__suspended, (int, float, Decimal)) and not isinstance(data__suspended, bool):
                if data__suspended < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".suspended must be bigger than or equal to 0", value=data__suspended, rule='minimum')
                if data__suspended > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".suspended must be smaller than or equal to 4611686018427387904", value=data__suspended, rule='maximum')
        if "failed" in data_keys:
            data_keys.remove("failed")
            data__failed = data["failed"]
            if not isinstance(data__failed, (int)) and not (isinstance(data__failed, float) and data__failed.is_integer()) or isinstance(data__failed, bool):
                raise SchemaError("" + (name_prefix or "data") + ".failed must be integer", value=data__failed, rule='type')
            if isinstance(data__failed, (int, float, Decimal)) and not isinstance(data__failed, bool):
                if data__failed < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".failed must be bigger than or equal to 0", value=data__failed, rule='minimum')
                if data__failed > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".failed must be smaller than or equal to 4611686018427387904", value=data__failed, rule='maximum')
        if "total_time" in data_keys:
            data_keys.remove("total_time")
            data__totaltime = data["total_time"]
            if not isinstance(data__totaltime, (int, float, Decimal)) or isinstance(data__totaltime, bool):
                raise SchemaError("" + (name_prefix or "data") + ".total_time must be number", value=data__totaltime, rule='type')
            if isinstance(data__totaltime, (int, float, Decimal)) and not isinstance(data__totaltime, bool):
                if data__totaltime < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".total_time must be bigger than or equal to -1e+30", value=data__totaltime, rule='minimum')
                if data__totaltime > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".total_time must be smaller than or equal to 1e+30", value=data__totaltime, rule='maximum')
        if "min" in data_keys:
            data_keys.remove("min")
            data__min = data["min"]
            if not isinstance(data__min, (int, float, Decimal, NoneType)) or isinstance(data__min, bool):
                raise SchemaError("" + (name_prefix or "data") + ".min must be number or null", value=data__min, rule='type')
            if isinstance(data__min, (int, float, Decimal)) and not isinstance(data__min, bool):
                if data__min < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".min must be bigger than or equal to -1e+30", value=data__min, rule='minimum')
                if data__min > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".min must be smaller than or equal to 1e+30", value=data__min, rule='maximum')
        if "p95" in data_keys:
            data_keys.remove("p95")
            data__p95 = data["p95"]
            if not isinstance(data__p95, (int, float, Decimal, NoneType)) or isinstance(data__p95, bool):
                raise SchemaError("" + (name_prefix or "data") + ".p95 must be number or null", value=data__p95, rule='type')
            if isinstance(data__p95, (int, float, Decimal)) and not isinstance(data__p95, bool):
                if data__p95 < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".p95 must be bigger than or equal to -1e+30", value=data__p95, rule='minimum')
                if data__p95 > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".p95 must be smaller than or equal to 1e+30", value=data__p95, rule='maximum')
        if "max" in data_keys:
            data_keys.remove("max")
            data__max = data["max"]
            if not isinstance(data__max, (int, float, Decimal, NoneType)) or isinstance(data__max, bool):
                raise SchemaError("" + (name_prefix or "data") + ".max must be number or null", value=data__max, rule='type')
            if isinstance(data__max, (int, float, Decimal)) and not isinstance(data__max, bool):
                if data__max < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".max must be bigger than or equal to -1e+30", value=data__max, rule='minimum')
                if data__max > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".max must be smaller than or equal to 1e+30", value=data__max, rule='maximum')
        if "first" in data_keys:
            data_keys.remove("first")
            data__first = data["first"]
            if not isinstance(data__first, (int, float, Decimal, NoneType)) or isinstance(data__first, bool):
                raise SchemaError("" + (name_prefix or "data") + ".first must be number or null", value=data__first, rule='type')
            if isinstance(data__first, (int, float, Decimal)) and not isinstance(data__first, bool):
                if data__first < -1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".first must be bigger than or equal to -1e+30", value=data__first, rule='minimum')
                if data__first > 1e+30:
                    raise SchemaError("" + (name_prefix or "data") + ".first must be smaller than or equal to 1e+30", value=data__first, rule='maximum')
        if "bytes_allocated" in data_keys:
            data_keys.remove("bytes_allocated")
            data__bytesallocated = data["bytes_allocated"]
            if not isinstance(data__bytesallocated, (int)) and not (isinstance(data__bytesallocated, float) and data__bytesallocated.is_integer()) or isinstance(data__bytesallocated, bool):
                raise SchemaError("" + (name_prefix or "data") + ".bytes_allocated must be integer", value=data__bytesallocated, rule='type')
            if isinstance(data__bytesallocated, (int, float, Decimal)) and not isinstance(data__bytesallocated, bool):
                if data__bytesallocated < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".bytes_allocated must be bigger than or equal to 0", value=data__bytesallocated, rule='minimum')
                if data__bytesallocated > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".bytes_allocated must be smaller than or equal to 4611686018427387904", value=data__bytesallocated, rule='maximum')
        if "peak_bytes" in data_keys:
            data_keys.remove("peak_bytes")
            data__peakbytes = data["peak_bytes"]
            if not isinstance(data__peakbytes, (int)) and not (isinstance(data__peakbytes, float) and data__peakbytes.is_integer()) or isinstance(data__peakbytes, bool):
                raise SchemaError("" + (name_prefix or "data") + ".peak_bytes must be integer", value=data__peakbytes, rule='type')
            if isinstance(data__peakbytes, (int, float, Decimal)) and not isinstance(data__peakbytes, bool):
                if data__peakbytes < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".peak_bytes must be bigger than or equal to 0", value=data__peakbytes, rule='minimum')
                if data__peakbytes > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".peak_bytes must be smaller than or equal to 4611686018427387904", value=data__peakbytes, rule='maximum')
        if "copies" in data_keys:
            data_keys.remove("copies")
            data__copies = data["copies"]
            if not isinstance(data__copies, (int)) and not (isinstance(data__copies, float) and data__copies.is_integer()) or isinstance(data__copies, bool):
                raise SchemaError("" + (name_prefix or "data") + ".copies must be integer", value=data__copies, rule='type')
            if isinstance(data__copies, (int, float, Decimal)) and not isinstance(data__copies, bool):
                if data__copies < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".copies must be bigger than or equal to 0", value=data__copies, rule='minimum')
                if data__copies > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".copies must be smaller than or equal to 4611686018427387904", value=data__copies, rule='maximum')
        if "lazy_copies" in data_keys:
            data_keys.remove("lazy_copies")
            data__lazycopies = data["lazy_copies"]
            if not isinstance(data__lazycopies, (int)) and not (isinstance(data__lazycopies, float) and data__lazycopies.is_integer()) or isinstance(data__lazycopies, bool):
                raise SchemaError("" + (name_prefix or "data") + ".lazy_copies must be integer", value=data__lazycopies, rule='type')
            if isinstance(data__lazycopies, (int, float, Decimal)) and not isinstance(data__lazycopies, bool):
                if data__lazycopies < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".lazy_copies must be bigger than or equal to 0", value=data__lazycopies, rule='minimum')
                if data__lazycopies > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".lazy_copies must be smaller than or equal to 4611686018427387904", value=data__lazycopies, rule='maximum')
        if "first_demanded_by" in data_keys:
            data_keys.remove("first_demanded_by")
            data__firstdemandedby = data["first_demanded_by"]
            if not isinstance(data__firstdemandedby, (int, NoneType)) and not (isinstance(data__firstdemandedby, float) and data__firstdemandedby.is_integer()) or isinstance(data__firstdemandedby, bool):
                raise SchemaError("" + (name_prefix or "data") + ".first_demanded_by must be integer or null", value=data__firstdemandedby, rule='type')
            if isinstance(data__firstdemandedby, (int, float, Decimal)) and not isinstance(data__firstdemandedby, bool):
                if data__firstdemandedby < 0:
                    raise SchemaError("" + (name_prefix or "data") + ".first_demanded_by must be bigger than or equal to 0", value=data__firstdemandedby, rule='minimum')
                if data__firstdemandedby > 4611686018427387904:
                    raise SchemaError("" + (name_prefix or "data") + ".first_demanded_by must be smaller than or equal to 4611686018427387904", value=data__firstdemandedby, rule='maximum')
        if data_keys:
            raise SchemaError("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties", value=data, rule='additionalProperties')
    return data
