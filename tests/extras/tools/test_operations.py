"""The description of the operations and the tool itself say the same."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from datetime import datetime
from typing import cast, get_type_hints

import pytest

from studio.errors import UsageError
from studio.extras.tools import (
    OPERATIONS,
    BulkResult,
    DirectoryListingResult,
    FileContentResult,
    FileExistsResult,
    FileInfoResult,
    FileOperationResult,
    FileSystemTool,
    Kind,
    Operation,
    SearchResult,
    checked_arguments,
    input_schema,
    operation_named,
    output_schema,
    tool_schemas,
)

RESULTS = {
    kind.SHAPE.name: kind
    for kind in (
        *(BulkResult, DirectoryListingResult, FileContentResult, FileExistsResult, FileInfoResult),
        *(FileOperationResult, SearchResult),
    )
}

OFFERED = {"call", "context", "run"}
"""What of the tool is no operation, and leads to them."""

KINDS = {Kind.STRING: str, Kind.INTEGER: int, Kind.BOOLEAN: bool}


def named(operation: Operation) -> str:
    return operation.name


@pytest.mark.parametrize("operation", OPERATIONS, ids=named)
def test_a_method_takes_what_its_description_says(operation: Operation) -> None:
    method = getattr(FileSystemTool, operation.method)
    taken = [name for name in inspect.signature(method).parameters if name != "self"]
    described = [parameter.name for parameter in operation.parameters]
    assert taken == [*described, *operation.in_python]
    hints = get_type_hints(method)
    for parameter in operation.parameters:
        default = inspect.signature(method).parameters[parameter.name].default
        assert (default is inspect.Parameter.empty) == parameter.is_required
        if not parameter.is_required:
            assert default == parameter.default and type(default) is KINDS[parameter.kind]
        if parameter.kind in KINDS:
            assert hints[parameter.name] is KINDS[parameter.kind]
    kind = RESULTS[operation.result.name]
    assert hints["return"] in (kind, bool if kind is FileExistsResult else kind)


def test_every_method_is_described() -> None:
    """Nothing packs, and nothing is left out."""
    methods = {name for name in dir(FileSystemTool) if not name.startswith("_")}
    assert methods == {operation.method for operation in OPERATIONS} | OFFERED


@pytest.mark.parametrize("kind", RESULTS.values(), ids=lambda kind: kind.__name__)
def test_a_result_has_the_fields_that_its_shape_says(kind: type) -> None:
    hints = get_type_hints(kind)
    fields = {name: hint for name, hint in hints.items() if name != "SHAPE"}
    shape = kind.SHAPE  # type of each is a result's, above
    assert list(fields) == [field.name for field in shape.fields]
    for field in shape.fields:
        if field.kind in KINDS and not field.may_miss and fields[field.name] in KINDS.values():
            assert fields[field.name] is KINDS[field.kind]
        if field.kind is Kind.TIME and not field.may_miss:
            assert fields[field.name] is datetime


def test_results_are_called_as_they_always_were() -> None:
    """Names and defaults that others rely on."""

    def names(kind: type) -> list[str]:
        return [field.json_name for field in kind.SHAPE.fields]

    assert names(FileContentResult)[1:7] == [
        *("content", "encoding", "sizeBytes", "lineCount", "lastModified", "checksum")
    ]
    assert names(DirectoryListingResult)[:6] == [
        *("path", "items", "totalFiles", "totalDirectories", "totalSizeBytes", "truncated")
    ]
    item = DirectoryListingResult.SHAPE.fields[1].shape
    assert item is not None
    assert [field.json_name for field in item.fields] == [
        *("name", "path", "type", "sizeBytes", "created", "modified", "extension", "isHidden")
    ]
    assert names(FileOperationResult)[:6] == [
        *("success", "operation", "path", "sizeBytes", "backupPath", "timestamp")
    ]


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("read_file", "file_path encoding=utf-8 max_size_mb=10 max_lines=0 skip_lines=0"),
        ("write_file", "file_path content encoding=utf-8 create_backup=True overwrite=True"),
        ("append_file", "file_path content encoding=utf-8"),
        ("list_directory", "directory_path pattern=* recursive=False include_hidden=False max_depth=0"),
        ("directory_tree", "directory_path pattern=* include_hidden=False max_depth=0"),
        ("create_directory", "directory_path recursive=True"),
        ("copy_file", "source_path destination_path overwrite=False"),
        ("move_file", "source_path destination_path overwrite=False confirm=False"),
        ("delete_file", "path recursive=False confirm=False"),
        ("file_exists", "path"),
        ("get_file_info", "path"),
        ("search_files", "directory_path text pattern=* max_matches=1000"),
        ("bulk_operations", "operations confirm=False"),
    ],
)
def test_parameters_and_defaults(name: str, parameters: str) -> None:
    operation = next(one for one in OPERATIONS if one.name == name)
    shown = [one.name if one.is_required else f"{one.name}={one.default}" for one in operation.parameters]
    assert " ".join(shown) == parameters
    schema = input_schema(operation)
    properties = cast("Mapping[str, Mapping[str, object]]", schema["properties"])
    assert list(properties) == [one.name for one in operation.parameters]
    assert schema["required"] == [one.name for one in operation.parameters if one.is_required]
    assert {key: value["default"] for key, value in properties.items() if "default" in value} == {
        one.name: one.default for one in operation.parameters if not one.is_required
    }


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("read_file", {"file_path": "a" * 4096}, "read_file accepts at most 4095 characters for file_path."),
        ("read_file", {"file_path": "a", "max_lines": -1}, "read_file requires at least 0 for max_lines."),
        ("bulk_operations", {"operations": [{}] * 20_001}, "accepts at most 20000 items for operations."),
    ],
)
def test_bounds_stand_in_the_schema_and_hold(name: str, arguments: dict[str, object], sentence: str) -> None:
    operation = operation_named(name)
    with pytest.raises(UsageError) as refused:
        checked_arguments(operation, arguments)
    assert refused.value.message.endswith(sentence)
    properties = cast("Mapping[str, Mapping[str, object]]", input_schema(operation)["properties"])
    bound = int("".join(filter(str.isdigit, sentence)))
    assert bound in properties[sentence.rpartition(" ")[2].rstrip(".")].values()


def test_all_are_offered_as_schemas() -> None:
    offered = tool_schemas()
    assert [one["name"] for one in offered] == [operation.name for operation in OPERATIONS]
    assert all(one["description"] and one["inputSchema"] for one in offered)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("write_file", {"file_path": "b.txt", "content": "b\n"}),
        ("read_file", {"file_path": "a.txt"}),
        ("list_directory", {"directory_path": "."}),
        ("directory_tree", {"directory_path": "."}),
        ("get_file_info", {"path": "a.txt"}),
        ("file_exists", {"path": "a.txt"}),
        ("search_files", {"directory_path": ".", "text": "a"}),
        ("bulk_operations", {"operations": [{"operation": "read_file", "file_path": "none"}]}),
    ],
)
def test_a_result_as_json_is_what_its_schema_says(
    own: FileSystemTool, name: str, arguments: dict[str, object]
) -> None:
    own.write("a.txt", "a\n")
    operation = next(one for one in OPERATIONS if one.name == name)
    found = mismatches(own.call(name, arguments), output_schema(operation.result), name)
    assert not found


TYPES: Mapping[str, type] = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


def mismatches(value: object, schema: Mapping[str, object], where: str) -> list[str]:
    """Where a value is not what a schema says, in those words of JSON Schema that ours use."""
    wanted = schema["type"]
    kinds = cast("list[str]", wanted if isinstance(wanted, list) else [wanted])
    if type(value) not in [TYPES[kind] for kind in kinds]:
        return [f"{where} is {value!r}, not {wanted}"]
    if isinstance(value, list):
        items = cast("Mapping[str, object]", schema["items"])
        return [each for one in cast("list[object]", value) for each in mismatches(one, items, f"{where}[]")]
    if not isinstance(value, dict) or "properties" not in schema:
        return []
    properties = cast("Mapping[str, Mapping[str, object]]", schema["properties"])
    fields = cast("dict[str, object]", value)
    if list(fields) != schema["required"]:
        return [f"{where} has {list(fields)}"]
    return [
        each for key, one in fields.items() for each in mismatches(one, properties[key], f"{where}.{key}")
    ]
