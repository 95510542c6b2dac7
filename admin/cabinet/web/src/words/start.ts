// Words of the start page.
import type { Phrases } from ".";

export const words = {
  today: ["Waiting for you", "Ждёт вас"],
  ordersNew: ["{n} new order|{n} new orders", "{n} новый заказ|{n} новых заказа|{n} новых заказов"],
  ordersUnpaid: ["{n} order unpaid|{n} orders unpaid", "{n} заказ не оплачен|{n} заказа не оплачены|{n} заказов не оплачены"],
  ordersToShip: ["{n} order to ship|{n} orders to ship", "{n} заказ к отправке|{n} заказа к отправке|{n} заказов к отправке"],
  ordersToRefund: ["{n} order to refund|{n} orders to refund", "{n} возврат денег|{n} возврата денег|{n} возвратов денег"],
  lowStock: ["{n} product or variant low in stock|{n} products and variants low in stock", "Заканчивается товаров и вариантов: {n}"],
  reviews: ["{n} review to approve|{n} reviews to approve", "{n} отзыв на проверку|{n} отзыва на проверку|{n} отзывов на проверку"],
  questions: ["{n} question to answer|{n} questions to answer", "{n} вопрос без ответа|{n} вопроса без ответа|{n} вопросов без ответа"],
  leads: ["{n} form answered|{n} forms answered", "{n} заявка|{n} заявки|{n} заявок"],
  drafts: ["{n} draft to publish|{n} drafts to publish", "{n} черновик|{n} черновика|{n} черновиков"],
  misses: ["{n} address not found|{n} addresses not found", "{n} адрес не найден|{n} адреса не найдены|{n} адресов не найдены"],
  nothingWaits: ["Nothing is waiting for you.", "Ничего не ждёт."],
  last30: ["Last 30 days", "Последние 30 дней"],
  before30: ["30 days before", "30 дней до этого"],
  revenue: ["Revenue", "Выручка"],
  noRevenue: ["No revenue in these 30 days.", "За эти 30 дней выручки не было."],
  orders: ["Orders", "Заказы"],
  visits: ["Visits", "Посещения"],
  averageOrder: ["Average order", "Средний заказ"],
} satisfies Phrases;
