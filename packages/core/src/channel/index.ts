export { Channel, type ChannelClock, type ChannelObserver, type ChannelOptions, type Receiver } from './channel.js';
export { type Conditions, conditions, type Delay, delayText, drawDelay, parseDelay, perfect } from './conditions.js';
export { Random } from './random.js';
export { type LinkOptions, reliableLink } from './reliable/protocol.js';
