/** A module of its own: the declarations of links reach no text, which are data in JSON. */

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];
