// nonce is that of this load: with it, rules may be added under the page's Content-Security-Policy.
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
