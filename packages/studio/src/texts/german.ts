/** What the page says in German, and the grader. A key is the English text, `{name}` a place in both. */
import grading from './german/grading.json' with { type: 'json' };
import page from './german/page.json' with { type: 'json' };

export { grading, page as german };
