"""The core's rows. Written by thunkvm._src.stubs; do not edit."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

_Decoding = Literal["truth", "index", "index_or_default"]
_Form = Literal["kernel", "perform", "c", "lazy", "thunk", "branch", "emitted", "fused"]
_GroupKind = Literal["expression", "fused", "call"]
_BlockKind = Literal["root", "arm", "memo", "input", "guarded", "step"]
_CallPart = Literal["arguments", "results", "lock", "other"]
ModeName = Literal[
    "py",
    "vm",
    "cvm",
    "c",
    "c|py",
    "c&py",
    "py_nogc",
    "vm_nogc",
    "cvm_nogc",
    "c_nogc",
    "c|py_nogc",
    "c&py_nogc",
    "FAST_RUN",
    "FAST_COMPILE",
    "DebugMode",
    "MonitorMode",
    "NanGuardMode",
]
LinkerName = Literal["py", "vm", "cvm", "c", "c|py", "c&py"]
OptimizerName = Literal["fast_run", "fast_compile"]
FeatureName = Literal["fusion", "merge", "inverses", "idempotents", "factors"]

class NodeRuns(NamedTuple):
    node: str
    op: str
    form: _Form
    origin: str
    runs: int

class NodeCode(NamedTuple):
    form: _Form
    code: str
    why: str

class NativeGroup(NamedTuple):
    nodes: list[int]
    kind: _GroupKind

class BlockRow(NamedTuple):
    kind: _BlockKind
    within: int | None
    owner: int
    node: int | None
    number: int
    n_arms: int
    decoding: _Decoding
    idle: bool

class BranchRow(NamedTuple):
    selector: int
    decoding: _Decoding
    arms: list[str]
    node: int
    block: int
    loop: bool

class ProgramCondition(NamedTuple):
    branches: list[int]
    truth: bool
    arms: list[str]
    node: int

class RegionPlace(NamedTuple):
    around: int | None
    condition: int
    arm: int

class ScheduleRows(NamedTuple):
    blocks: list[BlockRow]
    node_blocks: list[int | None]
    branches: list[BranchRow]
    memos: list[int]
    lazies: list[int]
    demanders: list[int | None]
    conditions: list[ProgramCondition]
    regions: list[RegionPlace]
    block_regions: list[int | None]

class SiteCounts(NamedTuple):
    suspended: int
    failed: int
    bytes_allocated: int
    peak_bytes: int
    copies: int

class Work(NamedTuple):
    flops: float
    bytes_moved: float

class SiteRow(NamedTuple):
    runs: int
    self_time: float
    min: float | None
    p95: float | None
    max: float | None
    first: float | None
    lazy_copies: int
    suspended: int
    failed: int
    bytes_allocated: int
    peak_bytes: int
    copies: int
    flops: float
    bytes_moved: float

class BranchTally(NamedTuple):
    flips: int
    loop: int | None

class BranchCounts(NamedTuple):
    flips: int
    loop: int | None
    arms: list[int]
    by_steps: list[int]

class Decision(NamedTuple):
    branch: int
    arm: int

class ArmRun(NamedTuple):
    arm: int
    times: int

class LoopDecisions(NamedTuple):
    branch: int
    runs: list[ArmRun]

class CallTimes(NamedTuple):
    start: float
    time: float
    bytes: int
    failed: bool

class RecordedCall(NamedTuple):
    start: float
    time: float
    bytes: int
    failed: bool
    id: int
    thread: int
    gross: float
    decisions: list[Decision]
    in_loops: list[LoopDecisions]

class Stretch(NamedTuple):
    start: float
    duration: float

class RecordedEvent(NamedTuple):
    start: float
    duration: float
    site: int
    call: int
    thread: int

class RecordedStep(NamedTuple):
    start: float
    duration: float
    loop: int
    step: int
    call: int
    thread: int

class LoopCounts(NamedTuple):
    node: int
    branch: int
    outer: int | None
    runs: dict[int, int]
    failed: int

class RecordingReport(NamedTuple):
    sites: list[SiteRow]
    groups: list[NativeGroup]
    node_runs: list[int]
    branches: list[BranchCounts]
    regions: list[float]
    demanders: list[int | None]
    loops: list[LoopCounts]
    steps: list[RecordedStep]
    calls: list[RecordedCall]
    events: list[RecordedEvent]
    first_group: int
    n_calls: int
    n_events: int
    compile: float
    compile_background: float
    cache_hits: int
    changeover: float
    lap_cost: float

@dataclass(frozen=True, slots=True, kw_only=True)
class BranchTallyFields:
    flips: int = ...
    loop: int | None = ...

@dataclass(frozen=True, slots=True, kw_only=True)
class CallTimesFields:
    start: float = ...
    time: float = ...
    bytes: int = ...
    failed: bool = ...

@dataclass(frozen=True, slots=True, kw_only=True)
class RegionPlaceFields:
    around: int | None = ...
    condition: int
    arm: int

@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRowFields:
    runs: int = ...
    self_time: float = ...
    min: float | None = ...
    p95: float | None = ...
    max: float | None = ...
    first: float | None = ...
    lazy_copies: int = ...
    suspended: int = ...
    failed: int = ...
    bytes_allocated: int = ...
    peak_bytes: int = ...
    copies: int = ...
    flops: float = ...
    bytes_moved: float = ...

@dataclass(frozen=True, slots=True, kw_only=True)
class StretchFields:
    start: float
    duration: float
