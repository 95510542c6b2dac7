// Passkeys: the browser converts between the API's JSON and its own form.
import type { Schemas } from "./client";

export async function getPasskey(options: Schemas["AccessPasskeyOptions"]): Promise<Schemas["AccessPasskeyResponseInput"]> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options.publicKey as unknown as PublicKeyCredentialRequestOptionsJSON);
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  return credential.toJSON() as Schemas["AccessPasskeyResponseInput"];
}

export async function makePasskey(options: Schemas["AccessPasskeyOptions"]): Promise<Schemas["AccessPasskeyResponseInput"]> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options.publicKey as unknown as PublicKeyCredentialCreationOptionsJSON);
  const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  return credential.toJSON() as Schemas["AccessPasskeyResponseInput"];
}
