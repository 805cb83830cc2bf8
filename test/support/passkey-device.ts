/** An authenticator in software: it signs whatever it is told to, as a browser and a device would not. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { PasskeyAssertion } from '../../contract/passkey.ts';

/** What a page, a browser or a device says; each may be a lie. */
export interface Answering {
  origin?: string;
  /** Whether the device made sure of who it was. */
  verified?: boolean;
  /** How often it says that it has signed. */
  count?: number;
  /** Whether a page of another site is around the one that asks. */
  framed?: boolean;
}

export class PasskeyDevice {
  readonly #key: KeyObject;
  readonly #publicKey: Buffer;
  readonly #origin: string;
  readonly #id = randomBytes(16);
  #count = 0;

  /** `origin`: of the platform. */
  constructor(origin: string) {
    this.#origin = origin;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    this.#key = privateKey;
    // COSE: an elliptic curve key for ES256, on P-256.
    this.#publicKey = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
  }

  /** As a row of `passkeys` has it. */
  get stored() {
    return {
      credential_id: this.#id.toString('base64url'),
      public_key: this.#publicKey,
      sign_count: this.#count,
      transports: ['internal'],
      origin: this.#origin,
    };
  }

  /** A passkey made in answer to the challenge, as `POST /me/passkeys` takes it. */
  register(challenge: string, said: Answering = {}) {
    const credential = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, this.#id.length]),
      this.#id,
      this.#publicKey,
    ]);
    const data = this.#authenticatorData(said, credential);
    const attestation = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
      Buffer.from([0x59, data.length >> 8, data.length & 0xff]),
      data,
    ]);
    return {
      credential_id: this.stored.credential_id,
      client_data_json: this.#clientData('webauthn.create', challenge, said).toString('base64url'),
      attestation_object: attestation.toString('base64url'),
      transports: ['internal'],
    };
  }

  answer(challenge: string, said: Answering = {}): PasskeyAssertion {
    this.#count += 1;
    const data = this.#authenticatorData(said, null);
    const clientData = this.#clientData('webauthn.get', challenge, said);
    const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()]);
    return {
      credential_id: this.stored.credential_id,
      client_data_json: clientData.toString('base64url'),
      authenticator_data: data.toString('base64url'),
      signature: sign('sha256', signed, this.#key).toString('base64url'),
    };
  }

  #clientData(type: string, challenge: string, { origin = this.#origin, framed = false }: Answering): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: framed }));
  }

  #authenticatorData(
    { origin = this.#origin, verified = true, count = this.#count }: Answering,
    made: Buffer | null,
  ) {
    const head = Buffer.alloc(37);
    createHash('sha256').update(new URL(origin).hostname).digest().copy(head);
    head[32] = 0x01 | (verified ? 0x04 : 0) | (made === null ? 0 : 0x40);
    head.writeUInt32BE(count, 33);
    return made === null ? head : Buffer.concat([head, made]);
  }
}
