// Words of pictures added by their address.
import type { Phrases } from ".";

export const words = {
  pictureAddress: ["Address of a picture", "Адрес изображения"],
  pictureAddressHint: ["https://…; it is copied to the shop", "https://…; копируется в магазин"],
  addAddress: ["Add by address", "Добавить по адресу"],
} satisfies Phrases;
