// The payment methods that the program knows, and the secrets that each needs.
export const methods = {
  manual: [],
  stripe: ["secret_key", "webhook_secret"],
  yookassa: ["shop_id", "secret_key"],
  sandbox: [],
} as const;

// The settings of Stripe that are shown: assistants need them to pay.
export const shown = ["publishable_key", "google_merchant_id", "merchant_id"] as const;

export type MethodName = keyof typeof methods;
export const isMethod = (name: string): name is MethodName => name in methods;
