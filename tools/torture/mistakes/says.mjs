/** Whether a process was told so: in a refusal, or in an error that it has reported. */
export const says = (site, label, text) => site.told(label).some((told) => told.includes(text));
