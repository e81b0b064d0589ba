/**
 * What a check found: `reached` / `unreached` for `sometimes`; `incomplete` where the check ended
 * too early to know; `vacuous` where nothing in the system can make the property true or false: its
 * trigger never occurs, or it reads nothing of the system.
 */
export type Verdict = 'holds' | 'violated' | 'reached' | 'unreached' | 'incomplete' | 'vacuous';
