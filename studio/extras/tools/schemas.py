"""JSON Schemas of the operations, and validation of arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from typing import Final, cast

from studio.errors import UsageError
from studio.extras.tools.operations import OPERATIONS, Operation
from studio.extras.tools.shapes import Field, Kind, Parameter, Shape
from studio.names import show_name

_TYPES: Final[Mapping[Kind, type]] = {
    Kind.STRING: str,
    Kind.INTEGER: int,
    Kind.BOOLEAN: bool,
    Kind.LIST: list,
}
_WORDS: Final = {
    Kind.STRING: "a text",
    Kind.INTEGER: "a whole number",
    Kind.BOOLEAN: "true or false",
    Kind.LIST: "a list of objects",
}


_BOUNDS: Final = {
    Kind.STRING: ("minLength", "maxLength", " characters"),
    Kind.INTEGER: ("minimum", "maximum", ""),
    Kind.LIST: ("minItems", "maxItems", " items"),
}
"""JSON Schema keywords for the bounds of each kind, and their unit."""


def tool_schemas() -> list[dict[str, object]]:
    """Return every operation as a tool definition for models.

    With name, description, and the schemas of arguments and result.
    """
    return [
        {
            "name": operation.name,
            "description": operation.words,
            "inputSchema": input_schema(operation),
            "outputSchema": output_schema(operation.result),
        }
        for operation in OPERATIONS
    ]


def input_schema(operation: Operation) -> dict[str, object]:
    """Return the JSON Schema of an operation's arguments."""
    return {
        "type": "object",
        "properties": {parameter.name: _parameter_schema(parameter) for parameter in operation.parameters},
        "required": [parameter.name for parameter in operation.parameters if parameter.is_required],
        "additionalProperties": False,
    }


def output_schema(shape: Shape) -> dict[str, object]:
    """Return the JSON Schema of a result."""
    if not shape.fields:
        return {"type": "object"}
    return {
        "type": "object",
        "title": shape.name,
        "properties": {field.json_name: _field_schema(field) for field in shape.fields},
        "required": [field.json_name for field in shape.fields],
        "additionalProperties": False,
    }


def checked_arguments(operation: Operation, arguments: Mapping[str, object]) -> dict[str, object]:
    """Validate the arguments of a call.

    Raises UsageError naming the operation and the argument: unknown, missing, of another kind, or out of
    bounds.
    """
    parameters = {parameter.name: parameter for parameter in operation.parameters}
    for name, value in arguments.items():
        parameter = parameters.get(name)
        if parameter is None:
            raise _usage_error(operation, f"takes no {show_name(name)}", f"It takes {', '.join(parameters)}.")
        if not _is_of_kind(value, parameter.kind):
            raise _usage_error(operation, f"requires {_WORDS[parameter.kind]} for {name}", parameter.words)
        _check_bounds(operation, parameter, value)
    for name, parameter in parameters.items():
        if parameter.is_required and name not in arguments:
            raise _usage_error(operation, f"requires {name}", parameter.words)
    return dict(arguments)


def _is_of_kind(value: object, kind: Kind) -> bool:
    if isinstance(value, bool):  # bool is a subclass of int
        return kind is Kind.BOOLEAN
    if kind is Kind.LIST and isinstance(value, list):
        return all(isinstance(item, dict) for item in cast("list[object]", value))
    return isinstance(value, _TYPES[kind])


def _check_bounds(operation: Operation, parameter: Parameter, value: object) -> None:
    if parameter.kind not in _BOUNDS:
        return
    unit = _BOUNDS[parameter.kind][2]
    size = value if isinstance(value, int) else len(cast("Sized", value))
    if parameter.least is not None and size < parameter.least:
        raise _usage_error(
            operation, f"requires at least {parameter.least}{unit} for {parameter.name}", parameter.words
        )
    if parameter.most is not None and size > parameter.most:
        raise _usage_error(
            operation, f"accepts at most {parameter.most}{unit} for {parameter.name}", parameter.words
        )


def _usage_error(operation: Operation, what: str, hint: str) -> UsageError:
    return UsageError("tool.argument", f"{operation.name} {what}.", hint)


def _parameter_schema(parameter: Parameter) -> dict[str, object]:
    schema: dict[str, object] = {"type": parameter.kind.value, "description": parameter.words}
    if parameter.kind is Kind.LIST:
        schema["items"] = {"type": "object"}
    if parameter.kind in _BOUNDS:
        least, most, _unit = _BOUNDS[parameter.kind]
        bounds = {least: parameter.least, most: parameter.most}
        schema |= {word: bound for word, bound in bounds.items() if bound is not None}
    if not parameter.is_required:
        schema["default"] = parameter.default
    return schema


def _field_schema(field: Field) -> dict[str, object]:
    schema: dict[str, object]
    if field.kind is Kind.TIME:
        schema = {"type": "string", "format": field.kind.value}
    elif field.kind is Kind.LIST and field.shape is not None:
        schema = {"type": "array", "items": output_schema(field.shape)}
    elif field.kind is Kind.OBJECT and field.shape is not None:
        schema = output_schema(field.shape)
    else:
        schema = {"type": field.kind.value}
    if field.may_miss:
        schema["type"] = [schema["type"], "null"]
    return {**schema, "description": field.words}
