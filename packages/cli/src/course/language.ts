/** In which language students are spoken to. */
import { german, grading, type Language, speak } from '@conclave/studio/internal/texts';

const table = { ...german, ...grading };

/** Says what follows in this language. */
export const speakIn = (language: Language = 'en'): void =>
  speak(() => (language === 'de' ? table : undefined));
