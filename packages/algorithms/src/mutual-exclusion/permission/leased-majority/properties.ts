import type { Property } from '@conclave/core/protocol';

export const rules: readonly Property[] = [];
