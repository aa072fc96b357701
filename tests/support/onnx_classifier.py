"""Classifiers in ONNX of random weights, as BERT's are: embeddings, attention, a head on the first token."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

Array = np.ndarray[Any, Any]
IDS, MASK, TYPES = "input_ids", "attention_mask", "token_type_ids"


@dataclass(frozen=True)
class Shape:
    """What a model is like."""

    outputs: int = 3
    inputs: tuple[str, ...] = (IDS, MASK, TYPES)
    numbers: str = "INT64"
    """Of inputs."""
    written: str = "FLOAT"
    """Of outputs."""
    flat: bool = False
    """The output is one number for each text, not a row of one."""
    quantized: bool = False
    """By what each batch has."""
    positions: int = 128
    hidden: int = 32
    layers: int = 2
    heads: int = 4


class Graph:
    """Nodes and weights that are put together."""

    def __init__(self, shape: Shape, seed: int) -> None:
        self.shape = shape
        self.random = np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def constant(self, value: Any, kind: str = "int64") -> str:
        """A weight of these numbers."""
        self.weights.append(numpy_helper.from_array(np.asarray(value, kind), f"w{len(self.weights)}"))
        return f"w{len(self.weights) - 1}"

    def weight(self, *sizes: int) -> str:
        """Random numbers."""
        return self.constant(self.random.normal(size=sizes) / np.sqrt(sizes[0]), "float32")

    def node(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """The output of an operator."""
        name = output or f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def norm(self, value: str) -> str:
        """Layer normalization."""
        hidden = self.shape.hidden
        return self.node(
            "LayerNormalization",
            value,
            self.constant(np.ones(hidden), "float32"),
            self.constant(np.zeros(hidden), "float32"),
        )

    def embeddings(self, words: int) -> str:
        """Of tokens, of what they are for, and of their places."""
        hidden = self.shape.hidden
        value = self.node("Mul", self.node("Gather", self.weight(words, hidden), IDS), self.constant(8, "float32"))
        if TYPES in self.shape.inputs:
            value = self.node("Add", value, self.node("Gather", self.weight(2, hidden), TYPES))
        length = self.node("Squeeze", self.node("Slice", self.node("Shape", IDS), *map(self.constant, ([1], [2]))))
        places = self.node("Range", self.constant(0), length, self.constant(1))
        return self.norm(
            self.node("Add", value, self.node("Gather", self.weight(self.shape.positions, hidden), places))
        )

    def attention(self, value: str, mask: str) -> str:
        """Of all tokens to all that the mask leaves."""
        hidden, heads = self.shape.hidden, self.shape.heads
        parts = self.constant([0, 0, heads, hidden // heads])
        query, key, content = (
            self.node("Reshape", self.node("MatMul", value, self.weight(hidden, hidden)), parts) for _ in range(3)
        )
        query, content = (self.node("Transpose", one, perm=[0, 2, 1, 3]) for one in (query, content))
        scores = self.node("MatMul", query, self.node("Transpose", key, perm=[0, 2, 3, 1]))
        scores = self.node("Mul", scores, self.constant((hidden // heads) ** -0.5, "float32"))
        if mask:
            scores = self.node("Add", scores, mask)
        mixed = self.node("MatMul", self.node("Softmax", scores, axis=-1), content)
        mixed = self.node("Reshape", self.node("Transpose", mixed, perm=[0, 2, 1, 3]), self.constant([0, 0, hidden]))
        return self.norm(self.node("Add", value, self.node("MatMul", mixed, self.weight(hidden, hidden))))

    def mask(self) -> str:
        """What is added to scores of attention."""
        if MASK not in self.shape.inputs:
            return ""
        left = self.node("Sub", self.constant(1, "float32"), self.node("Cast", MASK, to=TensorProto.FLOAT))
        return self.node("Unsqueeze", self.node("Mul", left, self.constant(-1e9, "float32")), self.constant([1, 2]))


def model_bytes(words: int, shape: Shape, seed: int = 0) -> bytes:
    """The file."""
    graph = Graph(shape, seed)
    value, mask, hidden = graph.embeddings(words), graph.mask(), shape.hidden
    for _ in range(shape.layers):
        value = graph.attention(value, mask)
        inner = graph.node("Gelu", graph.node("MatMul", value, graph.weight(hidden, 4 * hidden)))
        value = graph.norm(graph.node("Add", value, graph.node("MatMul", inner, graph.weight(4 * hidden, hidden))))
    first = graph.node("Tanh", graph.node("Gather", value, graph.constant(0), axis=1))
    value = graph.node(
        "MatMul", first, graph.constant(4 * graph.random.normal(size=(hidden, shape.outputs)) / hidden**0.5, "float32")
    )
    if shape.flat:
        value = graph.node("Squeeze", value, graph.constant([1]))
    written = getattr(TensorProto, shape.written)
    graph.node("Cast", value, output="logits", to=written)
    kind = getattr(TensorProto, shape.numbers)
    inputs = [helper.make_tensor_value_info(name, kind, ["batch", "length"]) for name in shape.inputs]
    dimensions: list[Any] = ["batch"] if shape.flat else ["batch", shape.outputs]
    outputs = [helper.make_tensor_value_info("logits", written, dimensions)]
    made = helper.make_graph(graph.nodes, "classifier", inputs, outputs, graph.weights)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    return bytes(model.SerializeToString())


def write_model(path: Path, words: int, shape: Shape, seed: int = 0) -> None:
    """The file, which ONNX Runtime quantizes, if it is to be so."""
    path.write_bytes(model_bytes(words, shape, seed))
    if shape.quantized:
        from onnxruntime.quantization import quantize_dynamic

        plain = path.with_suffix(".plain.onnx")
        path.rename(plain)
        quantize_dynamic(plain, path)


def write_tokenizer(path: Path, texts: list[str]) -> int:
    """Word pieces between [CLS] and [SEP], trained on texts; how many there are."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Split("", "isolated")]
    )
    special: list[Any] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    trainer = trainers.WordPieceTrainer(vocab_size=600, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        "[CLS] $A:0 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(path))
    return int(tokenizer.get_vocab_size())


class Reference:
    """ONNX Runtime's Python, and the package tokenizers: a text at a time."""

    def __init__(self, model: Path, tokenizer: Path, most: int = 512) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self.tokenizer = Tokenizer.from_file(str(tokenizer))
        self.tokenizer.enable_truncation(most)

    def logits(self, text: str) -> list[float]:
        """What the model gives."""
        encoded = self.tokenizer.encode(text)
        given = {IDS: encoded.ids, MASK: encoded.attention_mask, TYPES: encoded.type_ids}
        kinds = {"tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(float)": np.float32}
        feeds = {one.name: np.array([given[one.name]], dtype=kinds[one.type]) for one in self.session.get_inputs()}
        return [float(one) for one in np.asarray(self.session.run(["logits"], feeds)[0]).reshape(-1)]


def softmax(logits: list[float]) -> list[float]:
    """Probabilities of classes of which one is right."""
    powers = np.exp(np.array(logits) - max(logits))
    return [float(one) for one in powers / powers.sum()]


def write_external(model: Path, to: Path) -> None:
    """The same model with its weights in a file beside it."""
    loaded = onnx.load(str(model))
    onnx.save_model(loaded, str(to), save_as_external_data=True, location=to.name + ".data", size_threshold=0)
