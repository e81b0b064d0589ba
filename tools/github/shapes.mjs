/**
 * The shapes of issue forms and of dependabot.yml, as far as this repository uses them: every key is
 * known, as in the documentation of GitHub. Workflows have a linter of their own.
 */
import * as v from 'valibot';

const words = v.pipe(v.string(), v.minLength(1));
const list = (item) => v.pipe(v.array(item), v.minLength(1));
const validations = v.optional(v.strictObject({ required: v.boolean() }));

/** One part of a form, by its type. */
const part = (type, attributes) =>
  v.strictObject({
    type: v.literal(type),
    id: v.pipe(v.string(), v.regex(/^[\w-]+$/)),
    attributes: v.strictObject({
      label: words,
      description: v.optional(words),
      ...attributes,
    }),
    validations,
  });

const parts = v.variant('type', [
  v.strictObject({ type: v.literal('markdown'), attributes: v.strictObject({ value: words }) }),
  part('input', { placeholder: v.optional(words), value: v.optional(words) }),
  part('textarea', {
    placeholder: v.optional(words),
    value: v.optional(words),
    render: v.optional(words),
  }),
  part('dropdown', { options: list(words), multiple: v.optional(v.boolean()) }),
  part('checkboxes', {
    options: list(v.strictObject({ label: words, required: v.optional(v.boolean()) })),
  }),
]);

const areDistinct = (select) => (body) => {
  const values = body.flatMap(select);
  return new Set(values).size === values.length;
};

export const issueForm = v.strictObject({
  name: words,
  description: words,
  title: v.optional(words),
  labels: v.optional(list(words)),
  body: v.pipe(
    list(parts),
    v.check(
      areDistinct(({ id }) => id ?? []),
      'two parts have one id',
    ),
    v.check(
      areDistinct(({ attributes }) => attributes.label ?? []),
      'two parts have one label',
    ),
    v.check((body) => body.some(({ type }) => type !== 'markdown'), 'it asks nothing'),
  ),
});

export const issueConfig = v.strictObject({
  blank_issues_enabled: v.boolean(),
  contact_links: list(v.strictObject({ name: words, url: v.pipe(words, v.url()), about: words })),
});

const updateTypes = v.optional(list(v.picklist(['major', 'minor', 'patch'])));

export const dependabot = v.strictObject({
  version: v.literal(2),
  updates: list(
    v.strictObject({
      'package-ecosystem': v.picklist(['npm', 'github-actions']),
      directory: words,
      schedule: v.strictObject({ interval: v.picklist(['daily', 'weekly', 'monthly']) }),
      groups: v.optional(
        v.record(
          words,
          v.strictObject({
            patterns: list(words),
            'exclude-patterns': v.optional(list(words)),
            'update-types': updateTypes,
          }),
        ),
      ),
      ignore: v.optional(
        list(
          v.strictObject({
            'dependency-name': words,
            'update-types': list(v.pipe(v.string(), v.startsWith('version-update:semver-'))),
          }),
        ),
      ),
    }),
  ),
});
