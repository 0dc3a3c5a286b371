/**
 * How the model writes its types: each is a JSON schema, from which TypeScript's type follows.
 * Most shapes take a description; objects have the keys that are named, and no others.
 */
import Type, { type Static, type TProperties, type TSchema } from "typebox";

export const optional = Type.Optional;

const about = (description?: string) => (description === undefined ? {} : { description });

/** A shape defined elsewhere, described for this place. */
export const described = <T extends TSchema>(shape: T, description: string) =>
  Type.With(shape, { description }) as T;

export const object = <T extends TProperties>(properties: T, description?: string) =>
  Type.Object(properties, { additionalProperties: false, ...about(description) });

export const list = <T extends TSchema>(items: T, description?: string) =>
  Type.Array(items, about(description));

/** Values by names that are not known here. */
export const map = <T extends TSchema>(values: T, description?: string) =>
  Type.Unsafe<Record<string, Static<T>>>({
    type: "object",
    additionalProperties: values,
    ...about(description),
  });

export const nullable = <T extends TSchema>(shape: T, description?: string) =>
  Type.Union([shape, Type.Null()], about(description));

export const oneOf = <T extends string[]>(values: readonly [...T], description?: string) =>
  Type.Enum(values, about(description));

export const text = (description?: string) => Type.String(about(description));

export const flag = (description?: string) => Type.Boolean(about(description));

/** Of flags, mostly, that are absent where they do not hold; and the number of a schema. */
export const only = <T extends boolean | number | string>(value: T, description?: string) =>
  Type.Literal(value, about(description));

/** Any number, such as a latency. */
export const number = (description?: string) => Type.Number(about(description));

/** Not negative: bytes, seconds, milliseconds. */
export const amount = (description?: string) => Type.Number({ minimum: 0, ...about(description) });

export const positive = (description?: string) =>
  Type.Number({ exclusiveMinimum: 0, ...about(description) });

/** A whole number from 0, or from `minimum`. */
export const count = (description?: string, minimum = 0) =>
  Type.Integer({ minimum, ...about(description) });

/** How often, by name. */
export const counts = (description?: string) => map(count(), description);
