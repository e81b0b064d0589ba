/**
 * The tables that the kernel fills, by asking for missing entries: by number. Like all files of
 * this folder, the kernel (packages/check/kernel, AssemblyScript) compiles it as well.
 */

/** By node: configuration → list of its steps that are possible without a message. */
export const own = 0;
/**
 * By node: configuration → 0 if no time can pass in it, else 1 + the configuration one tick later.
 * The same for contents.
 */
export const nodeLater = 1;
export const contentLater = 2;
/** Message in flight → 1 if it may have arrived by now. */
export const isDue = 3;
/** By node: configuration → step of its crash, or of its restart. */
export const crash = 4;
export const restart = 5;
/** By node: configuration → 1 if it is crashed; 1 if it may crash. */
export const crashed = 6;
export const mayCrash = 7;
/** By node: configuration, value → step that answers a choice. */
export const answer = 8;
/** By channel: configuration of the receiver, message → step. */
export const delivery = 9;
/** By channel: message → action. */
export const drop = 10;
/**
 * By channel: content, message → list of what the channel may do to it besides losing it: what
 * allows it, action, next content, event …
 */
export const disturbances = 11;
/** Content, message → content with the message behind it. */
export const pushed = 12;
/** Content → list of its deliverable messages: message, remaining content, message … */
export const dequeues = 13;
/**
 * By channel: content → list of the messages that the crash of its sender may lose next: action,
 * remaining content, action …
 */
export const unsent = 14;
/**
 * Environment → list: what it allows, by channel whether it is cut, then an open choice, or actions
 * of the network and their results.
 */
export const environment = 15;
/** Environment, event → the next environment. */
export const after = 16;
/** By node: a step, 0 → list of the steps by which the node crashes in the middle of it. */
export const inside = 17;
/**
 * Environment → list of the crashes in the middle of a start: action, how many numbers change,
 * slot, number, slot …
 */
export const insideStarts = 18;
/** Content → 1 if a message of it stops its receiver, plus 2 if its head is ahead of such a one. */
export const stops = 19;
