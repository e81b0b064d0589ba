/**
 * The field under which an embedded node with a journal numbers what it sends on a link:
 * `incarnation.number`, from 1. It travels with the message; the host that receives it takes it
 * off.
 */
export const linkLabel = '#';
