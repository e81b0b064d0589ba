import { transportContract } from '@conclave/core/embedding/testing';
import { setUpTcp } from './tcp-network.contract.js';

transportContract('tcpTransport', setUpTcp);
