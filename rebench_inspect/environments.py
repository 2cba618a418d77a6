"""The table of environments: the one home of every fact about them (standard library alone)."""

from types import MappingProxyType

from rebench_inspect import published
from rebench_inspect.rows import Aggregate, Anchors, Environment, Hardware, Scale, ScaleName

__all__ = ["Aggregate", "Anchors", "Environment", "Hardware", "Scale", "ScaleName"]

SCALE_NAMES: tuple[ScaleName, ...] = ("paper", "single", "mini")
"""The scales that users choose from; `test` is private (seconds, for the project's own tests)."""

CANARY = "6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4"
"""The fixed GUID of the canary line (DESIGN §11)."""


_LIMITS = {"import_timeout_s": 120, "call_timeout_s": 2, "enough_s": 2.0}
_KERNEL_CUDA = MappingProxyType({"elements": 100_000_000, "calls": 32, "windows": 7, **_LIMITS})

KERNEL = Environment(
    slug="kernel",
    title="Optimize a Kernel",
    raw_unit="ln(milliseconds)",
    higher_is_better=False,
    published=published.anchors(1.5535302804958044, 0.4700036292457356),
    paper_hardware="1 H100",
    deliverable="solution.py",
    scales=(
        Scale(
            "paper", "cuda", 13, 100, 8.0, 900, gpus=1, gpu_memory_gib=70, parameters=_KERNEL_CUDA, gain_tolerance=0.02
        ),
        Scale(
            "single",
            "cuda",
            cpus=8,
            memory_gib=32,
            budget_hours=2.0,
            scoring_timeout_s=900,
            gpus=1,
            gpu_memory_gib=15,
            parameters=_KERNEL_CUDA,
            shipped_anchors=Anchors(1.395, -1.018, source="shipped: H200, 2026-12"),
            gain_tolerance=0.02,
        ),
        Scale(
            "mini",
            "cpu",
            cpus=2,
            memory_gib=8,
            budget_hours=0.5,
            scoring_timeout_s=240,
            parameters=MappingProxyType(
                {"elements": 1 << 24, "calls": 4, "windows": 5, "import_timeout_s": 60, "call_timeout_s": 20}
            ),
            shipped_anchors=Anchors(4.905, 3.793, source="shipped: Xeon (Sapphire Rapids), 2 cores, 2026-12"),
        ),
        Scale(
            "test",
            "cpu",
            cpus=2,
            memory_gib=4,
            budget_hours=0.05,
            scoring_timeout_s=100,
            parameters=MappingProxyType(
                {"elements": 1 << 22, "calls": 2, "windows": 3, "import_timeout_s": 20, "call_timeout_s": 5}
            ),
            shipped_anchors=Anchors(3.2, 2.3, source="shipped: Xeon (Sapphire Rapids), 2 cores, 2026-12"),
            gain_tolerance=0.5,
        ),
    ),
    image_groups=MappingProxyType({"cpu": "image-kernel-cpu", "cuda": "image-kernel-cuda"}),
)

FIX_EMBEDDING = Environment(
    slug="fix_embedding",
    title="Fix Embedding",
    raw_unit="ln(validation loss - 1.5)",
    higher_is_better=False,
    published=published.anchors(2.196224077002636, 0.2623642644674909),
    paper_hardware="1 H100",
    deliverable="fixed_model.safetensors",
    alternative="fixed_model.safetensors.index.json",
    scales=(
        Scale(
            "paper",
            "cuda",
            cpus=13,
            memory_gib=100,
            budget_hours=8.0,
            scoring_timeout_s=600,
            gpus=1,
            gpu_memory_gib=70,
            parameters=MappingProxyType(
                {"windows": 80, "context": 1024, "large": "1.6 billion", "small": "124 million", "text": "openwebtext"}
            ),
            gain_tolerance=0.02,
            submission_mib=8192,
            making_timeout_s=4 * 3600,
        ),
        Scale(
            "single",
            "cuda",
            cpus=8,
            memory_gib=32,
            budget_hours=2.0,
            scoring_timeout_s=180,
            gpus=1,
            gpu_memory_gib=15,
            parameters=MappingProxyType(
                {"windows": 256, "context": 1024, "large": "124 million", "small": "30 million", "text": "tokenizer"}
            ),
            shipped_anchors=Anchors(2.368, 0.944, source="shipped: H200, 2026-12"),
            gain_tolerance=0.02,
            submission_mib=1024,
            making_timeout_s=600,
        ),
        Scale(
            "mini",
            "cpu",
            cpus=2,
            memory_gib=8,
            budget_hours=0.5,
            scoring_timeout_s=180,
            parameters=MappingProxyType(
                {"windows": 512, "context": 256, "large": "3.1 million", "small": "0.9 million", "text": "tokenizer"}
            ),
            shipped_anchors=Anchors(2.289, 1.127, source="shipped: Xeon (Sapphire Rapids), 2 cores, 2026-12"),
            gain_tolerance=0.02,
            submission_mib=64,
            making_timeout_s=600,
        ),
        Scale(
            "test",
            "cpu",
            cpus=2,
            memory_gib=4,
            budget_hours=0.1,
            scoring_timeout_s=90,
            parameters=MappingProxyType(
                {"windows": 128, "context": 64, "large": "137 thousand", "small": "44 thousand", "text": "tokenizer"}
            ),
            shipped_anchors=Anchors(1.88, -0.11, source="shipped: Xeon (Sapphire Rapids), 2 cores, 2026-12"),
            gain_tolerance=0.02,
            making_timeout_s=120,
        ),
    ),
    image_groups=MappingProxyType({"cpu": "image-fix-embedding-cpu", "cuda": "image-fix-embedding-cuda"}),
    image_assets=("tokenizer", "openwebtext", "model-small", "model-damaged"),
    given=MappingProxyType({"fixed_model.safetensors": "model-damaged/model.safetensors"}),
    program="solve.py",
)

# bfloat16 rounds every product: honest changes are further apart there (docs/environments/llm_foundry.md).
_FP32 = {"whole_tolerance": 0.0003, "tensor_tolerance": 0.002, "length_tolerance": 0.0003, "loss_tolerance": 0.001}
_BF16 = {"whole_tolerance": 0.1, "tensor_tolerance": 0.75, "length_tolerance": 0.003, "loss_tolerance": 0.0025}
_FOUNDRY = {**_FP32, "run_timeout_s": 240, "run_gib": 4}
_PEAKS = {"peak_flops_per_s": 1e15, "peak_flops_per_j": 2e12}
_FOUNDRY_GPU = {**_BF16, **_PEAKS, "run_timeout_s": 480, "public_reference": 1}
# Four cards have four times the peak; checkpoints with the optimizer's state are of 16 GB, loader processes many.
_LARGE = {"peak_flops_per_s": 4e15, "file_gib": 24, "run_gib": 96, "processes": 1024}
_FOUNDRY_PAPER = MappingProxyType(
    {
        "variants": 4,
        "tokens": 600_000,
        **_FOUNDRY_GPU,
        **_LARGE,
        "model": "a Llama of 1.35 billion parameters (deepseek-coder-1.3b-base)",
    }
)
LLM_FOUNDRY = Environment(
    slug="llm_foundry",
    title="Optimize LLM Foundry",
    raw_unit="ln(seconds)",
    higher_is_better=False,
    published=published.anchors(5.605802066295998, 4.543294782270004),
    paper_hardware="4 H100",
    deliverable="finetune.sh",
    scales=(
        Scale(
            "paper",
            "cuda",
            cpus=52,
            memory_gib=400,
            budget_hours=8.0,
            scoring_timeout_s=3600,
            gpus=4,
            gpu_memory_gib=70,
            parameters=_FOUNDRY_PAPER,
            submission_mib=20,
            lacks=("frontier",),
            deviates="rows and options are our own: the paper's are not published",
        ),
        Scale(
            "single",
            "cuda",
            cpus=8,
            memory_gib=48,
            budget_hours=2.0,
            scoring_timeout_s=2700,
            gpus=1,
            gpu_memory_gib=40,
            parameters=MappingProxyType({"variants": 4, "tokens": 200_000, **_FOUNDRY_GPU}),
            shipped_anchors=Anchors(5.341, 3.697, source="shipped: H200, 2026-12"),
            submission_mib=20,
        ),
        Scale(
            "mini",
            "cpu",
            cpus=2,
            memory_gib=8,
            budget_hours=0.5,
            scoring_timeout_s=1200,  # the first in a sandbox makes five references
            parameters=MappingProxyType({"variants": 4, "tokens": 25_000, "peak_flops_per_s": 4e11, **_FOUNDRY}),
            shipped_anchors=Anchors(4.055, 3.014, source="shipped: EPYC, 2 cores, 2026-12"),
            submission_mib=20,
        ),
        Scale(
            "test",
            "cpu",
            cpus=2,
            memory_gib=8,
            budget_hours=0.3,
            scoring_timeout_s=900,
            parameters=MappingProxyType({"variants": 2, "tokens": 10_000, "peak_flops_per_s": 4e11, **_FOUNDRY}),
            gain_tolerance=0.25,
            submission_mib=20,
        ),
    ),
    image_groups=MappingProxyType({"cpu": "image-llm-foundry-cpu", "cuda": "image-llm-foundry-cuda"}),
    image_assets=("foundry",),
)

ENVIRONMENTS: tuple[Environment, ...] = (
    KERNEL,
    LLM_FOUNDRY,
    FIX_EMBEDDING,
    *published.UNBUILT,
)


def environment(slug: str) -> Environment:
    """Return the environment called `slug`.

    Raises:
        KeyError: No such environment; the message lists the allowed names.
    """
    for row in ENVIRONMENTS:
        if row.slug == slug:
            return row
    raise KeyError(f"{slug!r} is not an environment; choose one of: {', '.join(row.slug for row in ENVIRONMENTS)}")
